"""Prints why Python refuses each of the regular expressions in the JSON list on stdin."""

import json
import re
import sys

for pattern in json.load(sys.stdin):
    try:
        re.compile(pattern)
    except re.error as error:
        print(f"{error}: {pattern}")
