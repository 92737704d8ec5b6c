"""Tests the package tidemark with a service; each function is a separate test.

    python tidemark_client.py <function>,<function> <url> <key>

Prints the error of each function, or null. One process runs many functions, so that pandas and Polars are loaded once.
"""

import json
import logging
import sys
import traceback
import warnings
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import numpy
import pandas
import polars
import pyarrow

from tidemark import NoAnswerError, Retries, ServiceError, Tidemark, WriteError
from tidemark.errors import service_error_of
from tidemark.progress import Progress
from tidemark.retries import may_go_better
from tidemark.rows import batches, max_batch_rows, table_of
from tidemark.times import moment_text, period_text, zone_of

functions, url, key = sys.argv[1:4]
always = ("2026-01-01", "2026-01-01T01:59:59")
quick = Retries(retry_s=0)


def is_(found, expected):
    assert found == expected, f"{found!r} is not {expected!r}"


def raises(kind, run):
    try:
        run()
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was not raised")


def client(**more):
    return Tidemark(url, key, **{"entity": "plant", "progress": False, **more})


def read_buckets():
    frame = client().read(["b", "a"], *always, every="30m")
    is_(list(frame.columns), ["b", "a"])
    is_((frame.index.name, str(frame.index.dtype)), ("D", "datetime64[ms, UTC]"))
    is_(list(frame.index.strftime("%H:%M")), ["00:00", "00:30", "01:00", "01:30"])
    is_(frame["a"].tolist(), [14.5, 44.5, 74.5, 104.5])
    is_(frame["b"].tolist(), [114.5, 144.5, 174.5, 204.5])
    is_(client().read("a", *always, every=timedelta(minutes=30)).equals(frame[["a"]]), True)
    is_(client().read("a", *always, every="hour", agg="mean")["a"].tolist(), [29.5, 89.5])
    is_(client().read("a", *always, every="all")["a"].tolist(), [59.5])


def read_items():
    frame = client().read(["a", "sparse"], "2026-01-01", timedelta(minutes=2))
    is_(frame["a"].tolist(), [0, 1, 2])
    is_([None if pandas.isna(one) else one for one in frame["sparse"]], [None, 7.5, None])
    is_(set(client().read((), "2026-01-01", "1m").columns), {"a", "b", "sparse"})


def read_newest_of_a_date():
    is_(client(entity="twice").read((), "2026-01-01", "1d")["a"].tolist(), [2])


def read_of_an_entity_with_a_zone():
    """The entity's days begin in Tokyo time, unless the client sends a zone; by default the client sends UTC."""
    twice = client(entity="twice")
    is_([str(one) for one in twice.read((), "2026-01-01", "1d", every="1d").index], ["2026-01-01 00:00:00+00:00"])
    is_([str(one) for one in twice.read((), "2026-01-01T00:00", "1m").index], ["2026-01-01 00:00:00+00:00"])
    in_tokyo = twice.read((), "2026-01-01", "1d", every="1d", zone="Asia/Tokyo")
    is_([str(one) for one in in_tokyo.index], ["2026-01-01 00:00:00+09:00"])


def read_a_missing_tag():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        frame = client().read(["a", "nothing"], "2026-01-01", "1m")
    is_((frame["a"].count(), frame["nothing"].count()), (2, 0))
    assert len(told) == 1 and "'nothing'" in str(told[0].message) and told[0].filename == __file__, told
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        empty = client().read(["nothing"], *always)
    is_((len(empty), list(empty.columns), str(empty.index.dtype)), (0, ["nothing"], "datetime64[ms, UTC]"))


def read_several_tags_and_metrics():
    wells = client(entity="wells")
    is_(list(wells.read((), "2026-01-01", "1d").columns),
        ["north/flow/value", "north/flow/count", "south/flow/value", "south/flow/count"])
    is_(list(wells.read((), "2026-01-01", "1d", metric="value").columns), ["north/flow", "south/flow"])
    pooled = wells.read(["flow"], "2026-01-01", "1d", every="all", metric="value", tag="sensor")
    is_((list(pooled.columns), pooled["flow"].tolist()), (["flow"], [15]))
    digits = wells.read(["north"], "2026-01-01", "1d", metric="count")["north/flow"]
    is_((str(digits.dtype), digits.tolist()), ("int64", [9007199254740993]))
    gaps = wells.read((), "2026-01-01", "1d", metric="count")
    is_((str(gaps["north/flow"].dtype), gaps["north/flow"].dropna().tolist()), ("Int64", [9007199254740993]))


def read_in_a_zone():
    frame = client().read(["a"], "2026-01-01T01:00", "2026-01-01T01:01", zone="Europe/Madrid")
    is_([str(one) for one in frame.index], ["2026-01-01 01:00:00+01:00", "2026-01-01 01:01:00+01:00"])
    same = client(frames="polars").read(["a"], datetime(2026, 1, 1, tzinfo=timezone.utc), "1m", zone="Europe/Madrid")
    is_(same["D"].dtype, polars.Datetime("ms", "Europe/Madrid"))
    is_(same["D"][0], datetime(2026, 1, 1, 1, tzinfo=ZoneInfo("Europe/Madrid")))
    days = client().read(["a"], "2025-12-31", "2026-01-01", every="1d", zone="America/New_York")
    is_([str(one) for one in days.index], ["2025-12-31 00:00:00-05:00"])
    hours = client().read(["a"], "2026-01-01", "PT23H59M", every="1h", zone="Europe/Madrid")
    is_((str(hours.index[0]), hours["a"].tolist()), ("2026-01-01 01:00:00+01:00", [29.5, 89.5]))


def read_other_aggregates():
    refused = raises(ValueError, lambda: client().read(["a"], *always, agg="max"))
    assert 'every="all"' in str(refused), refused
    frame = client().read(["a"], *always, every="1h", agg=["min", "max"])
    is_(list(frame.columns), ["a/V.min", "a/V.max"])
    is_(frame["a/V.max"].tolist(), [59, 119])
    is_(client().read(["a"], *always, every="1h", agg="max")["a"].tolist(), [59, 119])
    over_time = client().read(["a"], "2026-01-01", "PT59M", every="1h", agg=["time_mean", "covered", "total"], total_unit="minute")
    is_(list(over_time.columns), ["a/V.time_mean", "a/V.covered", "a/V.total"])
    is_(over_time.iloc[0].tolist(), [29.5, 1, 29.5 * 59])


def read_up_to_now():
    """The service decides the time "now": the request contains nothing from this machine's clock."""
    asked = []
    made = client()
    send = made._http.send
    made._http.send = lambda *call, **more: (asked.append(call), send(*call, **more))[1]
    frame = made.read(["a"], "36500d", every="all")
    is_(frame["a"].tolist(), [59.5])
    is_([json.loads(body) for _, path, body in asked if "average" in path],
        [{"entity": "plant", "ids": ["a"], "start_date": "P36500D", "metric_name_field": ["V"], "granularity": "all",
          "time_zone": "UTC"}])


def frames_of_each_library():
    asked = dict(ids="a", start="2026-01-01", end="1m")
    is_(client(frames="polars").read(**asked).to_dict(as_series=False)["a"], [0, 1])
    table = client(frames="arrow").read(**asked)
    is_((type(table), table.column_names), (pyarrow.Table, ["D", "a"]))
    error = raises(ValueError, lambda: client(frames="spark"))
    assert "pandas, polars, arrow" in str(error), error


def the_only_entity():
    by_key = Tidemark(url, key, progress=False)
    error = raises(ValueError, lambda: by_key.read("a"))
    assert "plant" in str(error) and "wells" in str(error) and "entity=" in str(error), error
    error = raises(ValueError, lambda: client(entity="plnt").read("a"))
    assert '"plnt"' in str(error) and "plant" in str(error), error


def queries():
    latest = client().query("latest", ids=["a"])
    is_((list(latest.columns), latest["V"].tolist()), (["D", "T", "V"], [119]))
    last = client().query("last", ids=("a",), date=datetime(2026, 1, 1, 0, 5), offset=1)
    is_(last["V"].tolist(), [3])
    snap = client().query("snap", ids=["a"], start_date=date(2026, 1, 1), end_date="1h", granularity="30m")
    is_(snap["V"].tolist(), [0, 30, 60])
    is_(client().sql("SELECT COUNT(*) AS n FROM plant WHERE T = 'a'")["n"].tolist(), [120])
    is_(client().tags("s"), ["sparse"])
    is_(client().tags(), ["a", "b", "sparse"])
    is_(client(entity="wells").tags(tag="sensor"), ["flow"])
    is_([one["entity"] for one in client().entities()][:1], ["plant"])


def refusals():
    error = raises(ServiceError, lambda: client().query("latest", idds=["a"]))
    is_((error.status, error.code, error.retryable), (400, "invalid_request", False))
    assert "idds" in str(error) and error.detail in str(error), error
    error = raises(ServiceError, lambda: client().sql("SELECT nothing FROM plant"))
    assert error.status == 400 and "nothing" in str(error), error
    error = raises(ServiceError, lambda: Tidemark(url).sql("SELECT 1 AS x FROM plant"))
    assert error.status in (400, 403), error
    error = raises(WriteError, lambda: client().write(pandas.DataFrame({"V": [1]}), "nothing"))
    is_((error.acknowledged, error.rows, error.__cause__.status), (0, 1, 403))
    error = raises(NoAnswerError, lambda: Tidemark("http://127.0.0.1:1", key).entities())
    assert error.sent is False and "Does the service run" in str(error), error
    error = raises(NoAnswerError, lambda: Tidemark(url.replace("http:", "https:"), key).entities())
    assert error.sent is False and "http://" in str(error), error
    for wrong in ["127.0.0.1:8080", "ftp://127.0.0.1", "http://any:secret@127.0.0.1", "http://127.0.0.1/?key=secret"]:
        assert "secret" not in str(raises(ValueError, lambda: Tidemark(wrong, key))), wrong


def secret():
    """A function, because tracebacks also show the variables of this program."""
    return "tm_a-key-that-nobody-sees"


def keys_are_never_shown():
    logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)
    made = Tidemark(url, secret(), progress=False)
    shown = [repr(made), str(made), repr(vars(made)), repr(vars(made._http))]
    for asked in [made, Tidemark("http://127.0.0.1:1", secret(), progress=False, retries=quick)]:
        for call in [asked.entities, lambda: asked.write(pandas.DataFrame({"V": [1]}), "plant")]:
            error = raises(Exception, call)
            trace = traceback.TracebackException.from_exception(error, capture_locals=True)
            shown += [repr(error), "".join(trace.format())]
    for around in ["{}\n", " {}", "{}é"]:
        shown.append(repr(raises(ValueError, lambda: Tidemark(url, around.format(secret())))))
    is_([text for text in shown if "nobody-sees" in text], [])


def write_frames():
    writer = client(entity="written")
    times = pandas.date_range("2026-01-01", periods=3, freq="min", tz="Europe/Madrid")
    frame = pandas.DataFrame({"T": pandas.Categorical(["p", "p", "p"]), "V": [1.5, numpy.nan, 2.5], "n": [1, 2, 2**53 + 1]},
                             index=times.rename("D"))
    written = writer.write(frame, "written")
    is_((written.rows, written.stored, written.pending, len(written.rejected)), (3, 3, 0, 0))
    found = writer.read(["p"], "2025-12-31", "2d", zone="Europe/Madrid")
    is_(found["p/n"].tolist(), [1, 2, 2**53 + 1])
    is_([None if pandas.isna(one) else one for one in found["p/V"]], [1.5, None, 2.5])
    is_(list(found.index), list(times.as_unit("ms")))
    many = polars.DataFrame({"D": [datetime(2026, 1, 2), datetime(2026, 1, 3)], "T": ["q", "q"], "V": [float("nan"), 4.0], "n": [5, None]})
    is_(writer.write(many, "written").stored, 2)
    is_(writer.write(many.to_arrow(), "written").stored, 2)
    is_(writer.sql("SELECT COUNT(*) AS n, SUM(V) AS s FROM written WHERE T = 'q'").values.tolist(), [[4, 8]])
    is_(writer.write(many.head(0), "written").rows, 0)


def write_rejected_rows():
    frame = pandas.DataFrame({"D": ["2026-01-05"] * 25_000, "T": "r", "V": 1.0, "n": 1})
    for place in [7, 12_345, 24_999]:
        frame.loc[place, "T"] = None
    frame.loc[[*range(10_100, 10_300)], "D"] = "no time"
    written = client(entity="written").write(frame, "written")
    is_((written.rows, written.stored, written.pending), (25_000, 25_000 - 203, 0))
    is_(list(written.rejected.columns), ["row", "field", "code", "message"])
    is_(written.rejected["row"].tolist(), [7, *range(10_100, 10_300), 12_345, 24_999])
    is_(frame.iloc[written.rejected["row"]]["T"].isna().sum(), 3)
    is_(len(written.batches), 3)


def write_twice():
    frame = pandas.DataFrame({"D": ["2026-01-06"], "T": "same", "V": 1.0})
    first, second = (client().write(frame, "written", id="once") for _ in range(2))
    is_(first.batches, second.batches)
    is_(client().sql("SELECT COUNT(*) AS n FROM written WHERE T = 'same'")["n"].tolist(), [1])


def write_what_no_json_holds():
    for frame, word in [
        (pandas.DataFrame({"V": [1.0, numpy.inf]}), "Row 1"),
        (pandas.DataFrame({"V": [b"bytes"]}), "binary"),
        (pandas.DataFrame({"V": [1]}, index=pandas.to_datetime(["2026-01-01"])), "no name"),
    ]:
        error = raises(ValueError, lambda: client().write(frame, "written"))
        assert word in str(error), error
    raises(TypeError, lambda: client().write([{"V": 1}], "written"))


def write_through_troubles():
    """A proxy in front of the service refuses the first push and drops the response to the second."""
    told, waits = [], []
    retries = Retries(random=lambda: 0, sleep=lambda seconds: waits.append(seconds))
    frame = pandas.DataFrame({"D": pandas.date_range("2026-02-01", periods=25_000, freq="s"), "T": "troubled", "V": 1.0})
    with_log = logging.getLogger("tidemark")
    with_log.addHandler(handler := logging.Handler())
    handler.emit = lambda record: told.append(record.getMessage())
    written = client(retries=retries).write(frame, "written")
    is_((written.stored, len(written.batches)), (25_000, 3))
    is_(waits[:2], [1, 0.5])
    assert len(told) == 1 and told[0].startswith("rows wait: ") and key not in told[0], told


def troubles_stored():
    is_(client().sql("SELECT COUNT(*) AS n FROM written WHERE T = 'troubled'")["n"].tolist(), [25_000])


def batches_in_parts():
    table = table_of(pandas.DataFrame({"T": ["x" * 1000] * 12_000}))
    made = list(batches(table))
    assert all(len(one.body()) <= 4 * 1024 * 1024 + 2 and len(one.texts) <= max_batch_rows for one in made)
    is_([one.first for one in made], [sum(len(two.texts) for two in made[:at]) for at in range(len(made))])
    is_(sum(len(one.texts) for one in made), 12_000)
    is_(made[0].key("id"), f"id-1-{len(made[0].texts)}")
    is_([(one.first, len(one.texts)) for one in list(batches(table.slice(0, 5)))[0].halves()], [(0, 3), (3, 2)])
    values = pyarrow.table({
        "t": pyarrow.array([1767225600123456], pyarrow.timestamp("us", tz="America/New_York")),
        "d": [date(2026, 1, 1)], "s": ['é"'], "b": [True], "none": pyarrow.array([None], pyarrow.null()), "j": [{"a": [1]}],
    })
    is_(json.loads(list(batches(table_of(values)))[0].body()),
        [{"t": "2026-01-01T00:00:00.123Z", "d": "2026-01-01T00:00:00.000Z", "s": 'é"', "b": True, "j": {"a": [1]}}])


def waits_between_tries():
    def run(failures, **options):
        clock = [0.0]
        waits = []

        def sleep(seconds):
            waits.append(seconds)
            clock[0] += seconds

        def attempt():
            if failures:
                raise failures.pop(0)
            return "done"

        retries = Retries(now_s=lambda: clock[0], sleep=sleep, random=lambda: options.pop("random", 0), **options)
        try:
            return retries.run(attempt, lambda error, wait_s: None), waits
        except (ServiceError, NoAnswerError) as error:
            return error, waits

    lost, refused = NoAnswerError("lost", sent=True), NoAnswerError("refused", sent=False)
    busy = ServiceError(503, "busy", "Wait.", retryable=True, retry_after_s=3)
    wrong = ServiceError(400, "invalid_json", "No.")
    is_(run([lost] * 8), ("done", [0.25, 0.5, 1, 2, 4, 8, 10, 10]))
    is_(run([busy, lost]), ("done", [3, 0.5]))
    is_(run([wrong]), (wrong, []))
    is_(run([lost, refused, refused], retry_s=1), (lost, [0.25, 0.5]))
    is_([may_go_better(ServiceError(status, "unknown", "")) for status in (200, 403, 429, 502, 503, 504)],
        [False, False, True, True, True, True])


def answers_of_others():
    is_(service_error_of(502, b"<html>", None).code, "unknown")
    is_(service_error_of(503, b'{"code":"busy","detail":"Wait.","retryable":true}', "7").retry_after_s, 7)
    is_(service_error_of(503, b'{"code":"busy","detail":"Wait."}', None).code, "unknown")
    assert "broke" in str(service_error_of(500, None, None))


def times_of_requests():
    madrid, utc = zone_of("Europe/Madrid"), zone_of("UTC")
    for given, zone, text in [
        ("2026-07-01", madrid, "2026-06-30T22:00:00.000Z"),
        ("2026-07-01T08:00", madrid, "2026-07-01T06:00:00.000Z"),
        ("2026-07-01T08:00+05:00", madrid, "2026-07-01T08:00+05:00"),
        ("2026-07-01T08:00Z", madrid, "2026-07-01T08:00Z"),
        ("20260701T0800", utc, "20260701T0800"),
        (date(2026, 7, 1), madrid, "2026-06-30T22:00:00.000Z"),
        (datetime(2026, 7, 1, 8), utc, "2026-07-01T08:00:00.000Z"),
        (pandas.Timestamp("2026-07-01", tz="Asia/Tokyo"), madrid, "2026-06-30T15:00:00.000Z"),
        ("PT15M", madrid, "PT15M"), ("90m", madrid, "PT90M"), ("2w", utc, "P2W"), ("1500ms", utc, "PT1.5S"),
        (timedelta(hours=1), utc, "PT3600S"),
    ]:
        is_((given, moment_text(given, zone)), (given, text))
    is_([period_text(one) for one in ("hour", "5m", "1d", "P1M")], ["hour", "PT5M", "P1D", "P1M"])
    assert "Europe/Madrid" in str(raises(ValueError, lambda: zone_of("Madrid")))
    raises(ValueError, lambda: moment_text("yesterday", madrid))


def lines_of_progress():
    clock, lines = [0.0], []
    progress = Progress(lines.append, lambda: clock[0])
    for seconds in (0.1, 0.6, 0.7, 0.9):
        clock[0] = seconds
        progress.tell(str(seconds))
    progress.end("end")
    is_(lines, ["0.6", "0.9", "end"])
    quick = Progress(lines.append, lambda: 0.0)
    quick.end("nothing came before")
    is_(len(lines), 3)


def progress_in_a_notebook():
    """A kernel runs a cell with a push that is asked to wait for a second. The output is one line, updated in place."""
    import nbclient
    import nbformat

    cell = f"""
import pandas
from tidemark import Tidemark
made = Tidemark({url!r}, {key!r})
frame = pandas.DataFrame({{"D": ["2026-01-07"] * 25_000, "T": "notebook", "V": 1.0}})
written = made.write(frame, "written")
"""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell)])
    nbclient.NotebookClient(notebook, kernel_name="python3").execute()
    shown = [one["data"]["text/plain"] for one in notebook.cells[0].outputs if one.output_type == "display_data"]
    is_(shown, ["written: 25000 of 25000 rows stored, 0 rejected"])


def raised_by(name):
    try:
        globals()[name]()
    except Exception:
        return traceback.format_exc()
    return None


print(json.dumps({name: raised_by(name) for name in functions.split(",")}))
