# Which weather station has the widest swing of temperature?
import asyncio

async def look_at(station):
    try:
        series = await readings(station=station, column="temperature_c")
    except ToolError as error:
        print(f"{station}: left out ({error.kind})")
        return None
    facts = await describe(numbers=series)
    return {"station": station, "swing": round(facts["high"] - facts["low"], 1), **facts}

found = await asyncio.gather(*[look_at(name) for name in await stations()])
usable = [facts for facts in found if facts]
usable.sort(key=lambda facts: -facts["swing"])
for facts in usable:
    print("{station:<13} {low:5.1f} to {high:4.1f} °C".format(**facts))
return {"widest": usable[0], "stations": len(found), "left_out": len(found) - len(usable)}
