"""Typical code with pydruid, pandas and SQLAlchemy, run with a Tidemark; each function is a separate test.

    python pydruid_client.py <function> <host> <port> <key>
"""

import sys
from datetime import datetime

import pandas
from pydruid.client import PyDruid
from pydruid.db import connect, exceptions
from pydruid.utils import aggregators, postaggregator
from pydruid.utils.aggregators import filtered
from pydruid.utils.dimensions import DimensionSpec
from pydruid.utils.filters import Dimension, Filter
from pydruid.utils.having import Aggregation
from sqlalchemy import MetaData, Table, column, create_engine, func, inspect, select, table, text
from sqlalchemy.engine import URL

function, host, port, key = sys.argv[1:5]
always = "2026-01-01/2026-01-03"


def is_(found, expected):
    assert found == expected, f"{found!r} is not {expected!r}"


def client():
    made = PyDruid(f"http://{host}:{port}", "druid/v2")
    made.set_basic_auth_credentials("anyone", key)
    return made


def connection(**more):
    return connect(host=host, port=int(port), user="anyone", password=key, **more)


def engine():
    url = URL.create("druid", "anyone", key, host, int(port), "/druid/v2/sql/")
    return create_engine(url, connect_args={}, future=True)


def native_timeseries():
    found = client().timeseries(
        datasource="plant",
        granularity="day",
        intervals=always,
        aggregations={
            "rows": aggregators.count("rows"),
            "sum": aggregators.doublesum("V"),
            "b": filtered(Dimension("T") == "b", aggregators.count("b")),
        },
        post_aggregations={"mean": postaggregator.Field("sum") / postaggregator.Field("rows")},
        filter=(Dimension("T") == "a") | (Dimension("T") == "b"),
    )
    is_([(row["timestamp"], row["result"]["rows"], row["result"]["b"]) for row in found],
        [("2026-01-01T00:00:00.000Z", 48, 24), ("2026-01-02T00:00:00.000Z", 48, 24)])
    frame = found.export_pandas()
    is_(len(frame), 2)
    is_(frame["mean"][0], 61.5)


def native_topn():
    found = client().topn(
        datasource="plant", granularity="all", intervals=always, dimension="T", metric="sum", threshold=1,
        aggregations={"sum": aggregators.doublesum("V")},
    )
    is_([row["T"] for row in found[0]["result"]], ["b"])
    is_(list(found.export_pandas()["T"]), ["b"])


def native_groupby():
    found = client().groupby(
        datasource="plant", granularity="all", intervals=always,
        dimensions=[DimensionSpec("T", "tag")],
        aggregations={"rows": aggregators.count("rows"), "max": aggregators.doublemax("V")},
        filter=Filter(type="regex", dimension="T", pattern="^[ab]$"),
        having=Aggregation("rows") > 1,
        limit_spec={"type": "default", "limit": 10, "columns": [{"dimension": "tag", "direction": "descending"}]},
    )
    is_([(row["event"]["tag"], row["event"]["rows"]) for row in found], [("b", 48), ("a", 48)])
    is_(list(found.export_pandas()["tag"]), ["b", "a"])


def native_scan():
    found = client().scan(
        datasource="plant", granularity="all", intervals=always, columns=["__time", "T", "V"], limit=3,
        filter=Dimension("T") == "a",
    )
    is_([event["V"] for batch in found for event in batch["events"]], [0, 1, 2])
    is_(len(found.export_pandas()), 3)


def native_lookups():
    asked = client()
    is_(asked.time_boundary(datasource="plant")[0]["result"],
        {"minTime": "2026-01-01T00:00:00.000Z", "maxTime": "2026-01-02T23:00:00.000Z"})
    metadata = asked.segment_metadata(datasource="plant", intervals=always, merge=True, analysisTypes=["cardinality"])
    is_(metadata[0]["columns"]["T"]["type"], "STRING")
    is_(metadata[0]["columns"]["V"]["type"], "DOUBLE")


def native_refusal():
    try:
        client().timeseries(datasource="secret", granularity="all", intervals=always,
                            aggregations={"rows": aggregators.count("rows")})
    except OSError as error:
        assert "secret" in str(error), error
    else:
        raise AssertionError("it was not refused")


def db_api():
    with connection() as cursor:
        cursor.execute("SELECT T, COUNT(*) AS n, MAX(__time) AS t FROM plant WHERE T = %(tag)s GROUP BY 1", {"tag": "a"})
        row = cursor.fetchone()
        is_((row.T, row.n, row.t), ("a", 48, "2026-01-02T23:00:00.000Z"))
        is_(cursor.fetchone(), None)
        is_([one[0] for one in cursor.execute("SELECT V FROM plant WHERE V < 3 ORDER BY __time")], [0.0, 1.0, 2.0])
    header = connection(header=True).cursor().execute("SELECT T, V FROM plant WHERE T = 'none'")
    is_(([name for name, *_ in header.description], header.fetchall()), (["T", "V"], []))
    zoned = connection(context={"sqlTimeZone": "America/New_York"}).cursor()
    is_(zoned.execute("SELECT TIME_FLOOR(MIN(__time), 'P1D') AS d FROM plant").fetchall()[0].d,
        "2025-12-31T00:00:00.000-05:00")
    for wrong in ["SELECT nothing FROM plant", "SELECT * FROM secret", "DROP TABLE plant"]:
        try:
            connection().cursor().execute(wrong)
        except exceptions.ProgrammingError as error:
            assert "INVALID_INPUT" in str(error), error
        else:
            raise AssertionError(f"{wrong} was not refused")


def sqlalchemy_inspector():
    found = inspect(engine())
    assert "druid" in found.get_schema_names(), found.get_schema_names()
    is_(found.get_table_names(schema="druid"), ["plant"])
    # With SQLAlchemy 2, pydruid 0.6.9 supports has_table only as a method of its dialect.
    with found.engine.connect() as opened:
        is_([found.dialect.has_table(opened, name) for name in ["plant", "secret"]], [True, False])
    is_([(one["name"], str(one["type"]), one["nullable"]) for one in found.get_columns("plant", schema="druid")],
        [("__time", "TIMESTAMP", False), ("T", "VARCHAR", True), ("V", "FLOAT", True)])
    is_(found.get_pk_constraint("plant")["constrained_columns"], [])
    is_(found.get_view_names(), [])


def sqlalchemy_reflection():
    made = engine()
    plant = Table("plant", MetaData(), autoload_with=made)
    asked = (select(plant.c.T, func.count().label("n"), func.avg(plant.c.V).label("mean"))
             .where(plant.c.V >= 1).group_by(plant.c.T).order_by(plant.c.T.desc()).limit(5))
    with made.connect() as opened:
        is_([tuple(row) for row in opened.execute(asked)], [("b", 48, 123.5), ("a", 47, 24.0)])
        is_(opened.execute(text("SELECT 1 AS x")).scalar(), 1)
        is_(opened.execute(select(func.count()).select_from(asked.subquery())).scalar(), 2)


def pandas_read_sql():
    frame = pandas.read_sql("SELECT __time, T, V FROM plant WHERE T = 'b' ORDER BY __time", engine(), parse_dates=["__time"])
    is_(len(frame), 48)
    is_(str(frame["V"].dtype), "float64")
    is_(frame["__time"][1].isoformat(), "2026-01-01T01:00:00+00:00")


def superset_statements():
    """The time grains of Superset's Druid engine, and the statements of its charts, its SQL Lab and its filters."""
    floor = "TIME_FLOOR(CAST(\"__time\" AS TIMESTAMP), '%s')"
    grains = [floor % period for period in
              "PT1S PT5S PT30S PT1M PT5M PT10M PT15M PT30M PT1H PT6H P1D P1W P1M P3M P1Y".split()]
    shifted = "TIME_SHIFT(TIME_FLOOR(TIME_SHIFT(CAST(\"__time\" AS TIMESTAMP), 'P1D', 1), 'P1W'), 'P1D', %d)"
    cursor = connection().cursor()
    where = ("WHERE \"__time\" >= TIME_PARSE('2026-01-01T00:00:00') AND \"__time\" < TIME_PARSE('2026-01-03T00:00:00')")
    for grain in [*grains, shifted % 5, shifted % -1]:
        rows = cursor.execute(
            f"SELECT {grain} AS \"__timestamp\", \"T\" AS \"T\", AVG(\"V\") AS \"AVG(V)\" FROM \"druid\".\"plant\" {where} "
            f"GROUP BY \"T\", {grain} ORDER BY \"AVG(V)\" DESC LIMIT 50000"
        ).fetchall()
        assert len(rows) > 1, grain
    for statement, count in [
        (f"SELECT \"T\" AS \"T\", COUNT(*) AS \"count\" FROM \"druid\".\"plant\" {where} GROUP BY \"T\" ORDER BY \"count\" DESC LIMIT 10", 2),
        (f"SELECT DISTINCT \"T\" AS \"T\" FROM \"druid\".\"plant\" {where} LIMIT 1000", 2),
        ("SELECT COUNT(*) AS rowcount FROM (SELECT \"T\" AS \"T\" FROM \"druid\".\"plant\" LIMIT 10) AS rowcount_qry", 1),
        ("SELECT \"T\" AS \"T\", SUM(\"V\") AS \"s\" FROM (SELECT * FROM plant WHERE V > 1) AS \"virtual_table\" GROUP BY \"T\" LIMIT 100", 2),
        ("SELECT * FROM \"druid\".\"plant\" LIMIT 101", 96),
        ("SELECT MAX(\"__time\") AS m, MIN(\"__time\") AS l FROM \"druid\".\"plant\"", 1),
        ("SELECT CAST(TIME_PARSE('2026-01-02') AS DATE) AS d", 1),
        ("SELECT MILLIS_TO_TIMESTAMP(CAST(\"V\" AS BIGINT) * 1000) AS t FROM plant LIMIT 1", 1),
        (f"SELECT {grains[8]} AS \"__timestamp\", \"plant\".\"T\" AS \"T\", SUM(\"V\") AS \"s\" FROM \"druid\".\"plant\" "
         f"JOIN (SELECT \"T\" AS \"T__\", SUM(\"V\") AS \"mme_inner__\" FROM \"druid\".\"plant\" {where} GROUP BY \"T\" "
         f"ORDER BY \"mme_inner__\" DESC LIMIT 1) AS \"series_limit\" ON \"T\" = \"T__\" {where} "
         f"GROUP BY \"plant\".\"T\", {grains[8]} ORDER BY \"s\" DESC LIMIT 10000", 48),
    ]:
        is_((statement, len(cursor.execute(statement).fetchall())), (statement, count))


globals()[function]()
