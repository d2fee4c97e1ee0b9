# schemas/result-v1.schema.json of foundation50/classroom50, and the rules that its description adds.
def filled: type == "string" and length > 0;
def whole: type == "number" and . == floor and . >= 0;
def instant: type == "string" and test("^\\d{4}-\\d{2}-\\d{2}T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\dZ$");
(keys - ["schema", "classroom", "assignment", "assignment_type", "owner", "submission", "commit", "release", "review",
    "datetime", "graded_at", "score", "max-score", "tests", "submitted_by"]) == []
and .schema == "classroom50/result/v1" and (.classroom | filled) and (.assignment | filled)
and (.assignment_type | IN("individual", "group")) and (.owner | filled)
and (.submission | filled and startswith("submit/")) and (.commit | filled) and (.release | filled) and (.review | filled)
and (.datetime | instant) and (.score | whole) and (.["max-score"] | whole) and .score <= .["max-score"]
and (.tests | type == "array")
and all(.tests[]; (.["test-name"] | filled) and (.passed | type == "boolean") and (.score | whole)
    and (.["max-score"] | whole) and .score <= .["max-score"])
