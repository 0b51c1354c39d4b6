# Tool: count, mean, lowest and highest of some numbers, as a JSON object.
#
# usage: awk -f describe.awk   {"numbers": [...]} on stdin

{ text = text $0 }

END {
	sub(/^[^[]*\[/, "", text)
	sub(/\].*$/, "", text)
	count = split(text, number, ",")
	if (count == 0) {
		print "there are no numbers to describe" >"/dev/stderr"
		exit 1
	}
	low = high = number[1] + 0
	for (i = 1; i <= count; i++) {
		n = number[i] + 0
		sum += n
		if (n < low)
			low = n
		if (n > high)
			high = n
	}
	printf "{\"count\": %d, \"mean\": %.2f, \"low\": %.1f, \"high\": %.1f}\n",
	    count, sum / count, low, high
}
