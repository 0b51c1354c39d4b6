# The same question in a program that does not await: tools wait by themselves.

def look_at(station):
    try:
        series = readings(station=station, column="temperature_c")
    except ToolError as error:
        print(f"{station}: left out ({error.kind})")
        return None
    facts = describe(numbers=series)
    return {"station": station, "swing": round(facts["high"] - facts["low"], 1), **facts}

found = [look_at(name) for name in stations()]
usable = [facts for facts in found if facts]
usable.sort(key=lambda facts: -facts["swing"])
for facts in usable:
    print("{station:<13} {low:5.1f} to {high:4.1f} °C".format(**facts))
return {"widest": usable[0], "stations": len(found), "left_out": len(found) - len(usable)}
