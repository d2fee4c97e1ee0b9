# PrairieLearn's documentation of external grading (docs/externalGrading.md): results.json, 1 MB at most.
def text: type == "string";
def texts: text or (type == "array" and all(.[]; text));
def number: type == "number";
(.gradable | type == "boolean")
and (if .gradable then (.score | number and . >= 0 and . <= 1) else .score == null and (.format_errors | texts) end)
and (tojson | length < 1000000)
and (.message | text) and (.output | . == null or text)
and all(.tests // [] | .[]; (.name | text) and (.description | . == null or text) and (.points | number)
    and (.max_points | number) and (.output | . == null or text))
