import type { AnsweredCase } from './reason-cases.ts'

const texts = (...values: readonly string[]): string => JSON.stringify(values.map((value) => ({ c0: value })))

export const sqlAnsweredCases: readonly AnsweredCase[] = [
  [
    'functions of doubles end in other digits',
    'SELECT EXP(d) AS c0 FROM fuzz',
    texts('2.718281828459045'),
    texts('2.7182818284590446'),
    texts('2.7182'),
  ],
  [
    'doubles in JSON are written as 1.0E10 in Druid',
    "SELECT TO_JSON_STRING(JSON_OBJECT(KEY 'a' VALUE d)) AS c0 FROM fuzz",
    texts('{"a":10000000000.0}'),
    texts('{"a":1.0E10}'),
    texts('{"a":1.0E11}'),
  ],
  [
    'the text of a double may have a digit more in Druid',
    'SELECT d || s AS c0 FROM fuzz',
    texts('9.223372036854775E18a'),
    texts('9.2233720368547748E18a'),
    texts('9.22E18a'),
  ],
  [
    'the text of a double may have a digit more in Druid',
    'SELECT ARRAY_AGG(DISTINCT V / 7) AS c0 FROM fuzz',
    texts('[1.3285714285714286E18]'),
    texts('[1.32857142857142861E18]'),
    texts('[1.32E18]'),
  ],
  [
    'JSON_MERGE keeps the order of keys in Druid, and JSON_OBJECT has none',
    "SELECT TO_JSON_STRING(JSON_OBJECT(KEY 'a' VALUE n, KEY 'b' VALUE n)) AS c0 FROM fuzz",
    texts('{"a":1,"b":1}'),
    texts('{"b":1,"a":1}'),
    texts('{"b":1,"a":2}'),
  ],
  [
    'whole numbers of 32 bits go round in the answers of Druid',
    'SELECT TIMESTAMPDIFF(SECOND, ts, __time) * n AS c0 FROM fuzz',
    '[{"c0":4294967297}]',
    '[{"c0":1}]',
    '[{"c0":2}]',
  ],
  [
    'a deviation of doubles that are all the same is 0 here, and as far from it as doubles round in Druid',
    'SELECT STDDEV(d) AS c0 FROM fuzz',
    '[{"c0":0}]',
    '[{"c0":1e-8}]',
    '[{"c0":0.1}]',
  ],
  [
    'sketches are estimates in Druid, and exact here',
    'SELECT COUNT(*) AS c0, APPROX_COUNT_DISTINCT(LPAD(s, 3)) AS c1 FROM fuzz',
    '[{"c0":20,"c1":20}]',
    '[{"c0":20,"c1":21}]',
    '[{"c0":21,"c1":20}]',
  ],
]
