"""Tool: one column of one station, as a JSON array of numbers.

usage: readings.py FILE   {"station": NAME, "column": NAME} on stdin

A reading that is no number fails the call: what it means is for the caller
to decide, and not for this tool to guess.
"""
import csv
import json
import sys

wanted = json.load(sys.stdin)
numbers = []
with open(sys.argv[1], newline="") as file:
    for row in csv.DictReader(file):
        if row["station"] != wanted["station"]:
            continue
        text = row[wanted["column"]]
        try:
            numbers.append(float(text))
        except ValueError:
            sys.exit("%(station)s: the sensor reported '%(text)s' at %(time)s"
                     % dict(row, text=text))
if not numbers:
    sys.exit("%s: no such station" % wanted["station"])
json.dump(numbers, sys.stdout)
