#!/usr/bin/env python3
"""Checks a JUnit report against what Jenkins' junit-10 schema and GitLab ask for, in words of our own.

usage: junit_check.py REPORT.xml [NUMBER_OF_CASES]
"""
import re
import sys
import xml.etree.ElementTree as ET

# element: (attributes that must be there, attributes that may be, children)
RULES = {
    "testsuites": ((), ("name", "time", "tests", "failures", "errors"), ("testsuite",)),
    "testsuite": (
        ("name", "tests", "failures", "errors"),
        ("time", "skipped", "timestamp", "hostname", "file"),
        ("testcase", "properties", "system-out", "system-err"),
    ),
    "testcase": (("name",), ("time", "classname", "group"), ("skipped", "failure", "system-out", "system-err")),
    "failure": ((), ("type", "message"), ()),
    "skipped": ((), ("type", "message"), ()),
}
SECONDS = re.compile(r"[0-9]+\.[0-9]{3}")
LARGEST = 30_000_000  # bytes: GitLab reads no more


def check_element(element):
    must, may, children = RULES[element.tag]
    for name in must:
        assert name in element.attrib, f"{element.tag} without {name}"
    for name in element.attrib:
        assert name in must + may, f"{element.tag} with {name}"
    if "time" in element.attrib:
        assert SECONDS.fullmatch(element.get("time")), element.get("time")
    for child in element:
        assert child.tag in children, f"{child.tag} in {element.tag}"
        check_element(child)


def check(path, cases):
    data = open(path, "rb").read()
    assert len(data) < LARGEST
    root = ET.fromstring(data)
    assert root.tag == "testsuites"
    check_element(root)
    for suite in root:
        tests = suite.findall("testcase")
        names = [(test.get("classname"), test.get("name")) for test in tests]
        assert len(set(names)) == len(names), "a name stands twice"
        assert all(classname and name for classname, name in names)
        assert int(suite.get("tests")) == len(tests)
        assert int(suite.get("failures")) == len(suite.findall("testcase/failure"))
        assert int(suite.get("skipped")) == len(suite.findall("testcase/skipped"))
        assert all(failure.get("message") for failure in suite.iter("failure"))
        if cases is not None:
            assert len(tests) == cases, f"{len(tests)} cases"


if __name__ == "__main__":
    check(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None)
