#!/usr/bin/env python3
"""Writes a made-up track of about MEGABYTES to FILE; the suffix says in which format.

    generate.py FILE.gpx|.nmea|.ndjson|.csv|.geojson|.kml MEGABYTES [untimed|holes]

The track wanders on a sphere with one fix a second, always the same for the same arguments. With
`untimed` no point has a time, with `holes` each second thousand points have none (GPX only).
"""

import math
import os
import random
import sys

START = 1_777_622_400  # 2026-05-01T08:00:00Z


def walk():
    rng = random.Random(7)
    latitude, longitude, height, course = 46.0, 7.0, 500.0, 40.0
    while True:
        course = (course + rng.gauss(0, 8)) % 360
        speed = max(0.2, 1.4 + rng.gauss(0, 0.3))
        latitude += speed * math.cos(math.radians(course)) / 111_195
        longitude += speed * math.sin(math.radians(course)) / 111_195 / 0.69
        height += rng.gauss(0, 0.4)
        if not 30 < latitude < 60:
            course, latitude = course + 180, min(max(latitude, 30), 60)
        longitude = (longitude + 180) % 360 - 180
        yield latitude, longitude, height, speed, course


def civil(seconds):
    days, rest = divmod(seconds, 86_400)
    shifted = days + 719_468
    era, day_of_era = divmod(shifted, 146_097)
    year = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year + year // 4 - year // 100)
    month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * month + 2) // 5 + 1
    month = month + 3 if month < 10 else month - 9
    year = year + era * 400 + (month <= 2)
    return year, month, day, rest // 3600, rest // 60 % 60, rest % 60


def iso(seconds):
    return "%04d-%02d-%02dT%02d:%02d:%02dZ" % civil(seconds)


def nmea(body):
    total = 0
    for character in body:
        total ^= ord(character)
    return f"${body}*{total:02X}\r\n"


def minutes(degrees, width):
    whole = int(abs(degrees))
    return f"{whole:0{width}d}{(abs(degrees) - whole) * 60:08.5f}"


def nmea_epoch(seconds, fix):
    latitude, longitude, height, speed, course = fix
    year, month, day, hour, minute, second = civil(seconds)
    clock = f"{hour:02d}{minute:02d}{second:02d}.00"
    place = (
        f"{minutes(latitude, 2)},{'N' if latitude >= 0 else 'S'},"
        f"{minutes(longitude, 3)},{'E' if longitude >= 0 else 'W'}"
    )
    knots = speed * 3600 / 1852
    date = f"{day:02d}{month:02d}{year % 100:02d}"
    return (
        nmea(f"GNRMC,{clock},A,{place},{knots:.3f},{course:.2f},{date},,,A,V")
        + nmea(f"GNVTG,{course:.2f},T,,M,{knots:.3f},N,{speed * 3.6:.3f},K,A")
        + nmea(f"GNGGA,{clock},{place},1,12,0.64,{height:.1f},M,47.0,M,,")
        + nmea("GNGSA,A,3,13,16,21,15,10,29,27,20,,,,,1.05,0.64,0.83,1")
        + nmea("GNGSA,A,3,82,66,81,,,,,,,,,,1.05,0.64,0.83,2")
        + nmea("GPGSV,3,1,10,05,06,110,19,10,24,284,34,13,37,124,29,15,63,083,11,1")
        + nmea("GPGSV,3,2,10,16,11,248,10,20,52,273,34,21,79,231,30,24,07,045,,1")
        + nmea(f"GNGLL,{place},{clock},A,A")
    )


def main():
    path, limit = sys.argv[1], int(float(sys.argv[2]) * 1_000_000)
    variant = sys.argv[3] if len(sys.argv) > 3 else ""
    kind = path.rsplit(".", 1)[-1]
    head = {
        "gpx": '<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="generate.py"'
        ' xmlns="http://www.topografix.com/GPX/1/1">\n<trk><name>made up</name><trkseg>\n',
        "csv": "time,lat,lon,ele,speed,course\n",
        "geojson": '{"type":"FeatureCollection","features":[{"type":"Feature","geometry":'
        '{"type":"LineString","coordinates":[\n',
        "kml": '<?xml version="1.0" encoding="UTF-8"?>\n<kml xmlns="http://www.opengis.net/kml/2.2"'
        ' xmlns:gx="http://www.google.com/kml/ext/2.2"><Placemark><gx:Track>\n',
    }.get(kind, "")
    with open(path, "w", newline="", buffering=1 << 20) as file:
        file.write(head)
        size, count = len(head), 0
        # GeoJSON has its times after the positions, and they are as long again.
        end = limit * 0.6 if kind == "geojson" else limit
        for fix in walk():
            if size >= end:
                break
            latitude, longitude, height, speed, course = fix
            time = START + count
            stamp = iso(time)
            if kind == "gpx":
                timed = variant != "untimed" and not (variant == "holes" and count // 1000 % 2)
                text = (
                    f'<trkpt lat="{latitude:.7f}" lon="{longitude:.7f}">\n'
                    f" <ele>{height:.1f}</ele>\n"
                    + (f" <time>{stamp}</time>\n" if timed else "")
                    + "</trkpt>\n"
                )
            elif kind == "nmea":
                text = nmea_epoch(time, fix)
            elif kind == "ndjson":
                text = (
                    f'{{"id":"0-{count + 1}","device":"demo","timestamp":"{stamp[:-1]}.000Z",'
                    f'"latitude":{latitude:.7f},"longitude":{longitude:.7f},'
                    f'"altitude":{height:.1f},"ellipsoidalAltitude":null,'
                    f'"horizontalAccuracy":4.8,"verticalAccuracy":8.1,"speed":{speed:.2f},'
                    f'"course":{course % 360:.1f},"origin":"simulated","recordedAt":null,"lap":0,'
                    f'"discontinuity":false}}\n'
                )
            elif kind == "csv":
                place = f"{latitude:.7f},{longitude:.7f},{height:.1f}"
                text = f"{stamp},{place},{speed:.2f},{course:.1f}\n"
            elif kind == "geojson":
                text = f"{',' if count else ''}[{longitude:.7f},{latitude:.7f},{height:.1f}]\n"
            else:
                text = (
                    f"<when>{stamp}</when>\n"
                    f"<gx:coord>{longitude:.7f} {latitude:.7f} {height:.1f}</gx:coord>\n"
                )
            file.write(text)
            size += len(text)
            count += 1
        if kind == "gpx":
            file.write("</trkseg></trk></gpx>\n")
        elif kind == "kml":
            file.write("</gx:Track></Placemark></kml>\n")
        elif kind == "geojson":
            file.write(']},"properties":{"coordTimes":[\n')
            for index in range(count):
                file.write(f"{',' if index else ''}\"{iso(START + index)}\"\n")
            file.write("]}}]}\n")
    print(f"{path}: {count} fixes, {os.path.getsize(path)} bytes")


if __name__ == "__main__":
    main()
