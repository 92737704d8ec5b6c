import { expect, test } from 'vitest'
import { askBoth, type Made, newTally, type Tally } from './agreement.ts'
import { knownDifferences } from './known-differences.ts'
import type { BothEngines } from './world.ts'

const native =
  '{"query_type":"groupBy","query_data":{"queryType":"groupBy","limitSpec":{"type":"default","limit":4,"columns":["d0"]}}}'
const groups = (value: number) => ({
  status: 200,
  text: `[{"timestamp":"2026-01-01T00:00:00.000Z","event":{"d0":1,"a0":${value}}}]`,
})
const refused = { status: 400, text: '{"detail":"why"}' }
const reasonOf = (embedded: typeof refused, druid: typeof refused, difference: string): string | undefined =>
  knownDifferences.find((entry) =>
    entry.matches({ query: { kind: 'native', text: native }, embedded, druid, difference }),
  )?.reason

test('a refusal in words of no entry is a new kind, whoever refuses', () => {
  expect(reasonOf(groups(1), refused, 'status 200 and 400')).toBeUndefined()
  expect(reasonOf(refused, groups(1), 'status 400 and 200')).toBeUndefined()
})

test('a format that Druid gives in place of the text is known for FLOOR of a whole number alone', () => {
  const of = (text: string): string | undefined => {
    const [embedded, druid] = ['[{"k":"a:2"}]', '[{"k":"%s:%d; a; 2.0"}]'].map((answer) => ({
      status: 200,
      text: answer,
    }))
    const found = {
      query: { kind: 'sql' as const, text },
      embedded: embedded!,
      druid: druid!,
      difference: 'order by k',
    }
    return knownDifferences.find((entry) => entry.matches(found))?.reason
  }
  expect(of("SELECT STRING_FORMAT('%s:%d', s, FLOOR(n)) AS k FROM fuzz")).toContain('FLOOR and CEIL of a whole number')
  expect(of("SELECT STRING_FORMAT('%s:%d', s, n) AS k FROM fuzz")).toBeUndefined()
})

test('groups that tie at a limit are known', () => {
  expect(reasonOf(groups(1), groups(2), '[0].event.a0: number and number')).toBe(
    'Druid cuts any of the groups that tie at a limit',
  )
})

test('groups that do not tie at the end are the same', () => {
  const of = (middle: number): string | undefined => {
    const [ours, theirs] = [
      [1, 2, 3],
      [4, middle, 5],
    ].map((values) => ({
      status: 200,
      text: JSON.stringify(
        values.map((value, place) => ({ timestamp: '2026-01-01T00:00:00.000Z', event: { d0: place, a0: value } })),
      ),
    }))
    return reasonOf(ours!, theirs!, '[0].event.a0: number and number')
  }
  expect(of(2)).toBe('Druid cuts any of the groups that tie at a limit')
  expect(of(7)).toBeUndefined()
})

const madeOf = (text: string): Made => ({
  kind: 'sql',
  piece: { kind: 'query', rule: text, parts: [text] },
  plainest: () => [],
  alone: () => [],
})

const answerOf = (value: number) => ({ status: 200, text: JSON.stringify([{ c0: value }]) })

/** Asks engines that differ over texts that hold one of the words. */
async function talliedOf(text: string, differOver: RegExp): Promise<Tally> {
  const engines: BothEngines = {
    embedded: async () => answerOf(1),
    druid: async (query) => answerOf(differOver.test(query.text) ? 2 : 1),
    close: async () => undefined,
  }
  const tally = newTally()
  await askBoth(engines, madeOf(text), 0, tally)
  return tally
}

/** A query, what sets the answers apart for the reason that is known, and what does where something else is wrong with it. */
test.each([
  ['SELECT SQRT(d) AS c0 FROM fuzz', /^(?!.*BETWEEN -1e300).*SQRT/, /SQRT/],
  ['SELECT LN(d - 1.5) + 1 AS c0 FROM fuzz', /^(?!.*BETWEEN -1e300).*LN/, /LN/],
  ['SELECT d / 0 AS c0 FROM fuzz', /^(?!.*BETWEEN -1e300).* \/ /, / \/ /],
  ['SELECT BIT_AND(n) AS c0 FROM fuzz', /BIT_AND/, /n\)/],
  ['SELECT V AS c0 FROM fuzz', /SELECT V AS/, /\bV\b/],
  ['SELECT COUNT(*) AS c0 FROM fuzz AS x FULL JOIN y ON x.T = y.T', /FULL/, /JOIN/],
  ['SELECT SUBSTRING(s, 2) AS c0 FROM fuzz', /\(s, 2\)/, /SUBSTRING/],
  ["SELECT STRPOS(LOWER(s), 'a') AS c0 FROM fuzz", /\(s\)/, /STRPOS/],
  ["SELECT LPAD(T, 5, '\u{1f600}') AS c0 FROM fuzz", /\u{1f600}/u, /LPAD/],
  ["SELECT STRING_FORMAT('%10.3s', s) AS c0 FROM fuzz", /, s\)/, /STRING_FORMAT/],
  ['SELECT COUNT(*) AS c0 FROM fuzz WHERE d NOT BETWEEN 1 AND n', /^(?!.*IS NOT NULL)/, /NOT BETWEEN/],
  ['SELECT COUNT(*) AS c0 FROM fuzz WHERE ABS(n) < 3 OR ABS(n) > 1', /^(?!.*IS NOT NULL)/, /ABS/],
  ['SELECT TRUNCATE(l, 1) AS c0 FROM fuzz', /\bl\b/, /TRUNCATE/],
  ['SELECT ROUND(V, 2) AS c0 FROM fuzz', /\bV\b/, /ROUND/],
  ['SELECT FLOOR(l) AS c0 FROM fuzz', /\bl\b/, /FLOOR/],
  ['SELECT STDDEV(V) AS c0 FROM fuzz', /\bV\b/, /STDDEV/],
  ['SELECT VAR_POP(d - CAST(ts AS BIGINT)) AS c0 FROM fuzz', /CAST/, /VAR_POP/],
  ["SELECT TIME_FLOOR(ts, 'PT6H') AS c0 FROM fuzz", /\bts\b/, /TIME_FLOOR/],
  ['SELECT TO_JSON_STRING(TRY_PARSE_JSON(s)) AS c0 FROM fuzz', /\bs\b/, /TRY_PARSE_JSON/],
  ["SELECT ARRAY_APPEND(ARRAY[s], 'a') AS c0 FROM fuzz", /\[s\]/, /ARRAY_APPEND/],
  ['SELECT COUNT(*) AS c0 FROM fuzz WHERE n IN (1.5, 2)', /1\.5/, / IN /],
  ['SELECT COUNT(*) AS c0 FROM fuzz WHERE ABS(n) = 1.5 OR ABS(n) = 3.5', /\.5/, /ABS/],
  ["SELECT COUNT(DISTINCT n) FILTER (WHERE CAST(n AS VARCHAR) = '02') AS c0 FROM fuzz", /DISTINCT/, /FILTER/],
  ["SELECT COUNT(*) AS c0 FROM fuzz WHERE SCALAR_IN_ARRAY(TO_JSON_STRING(s), ARRAY['a', NULL])", /NULL/, /SCALAR/],
  ['SELECT CAST(CAST(d AS BIGINT) + 0 AS DOUBLE) AS c0 FROM fuzz', /CAST\(d/, /AS DOUBLE/],
  ['SELECT AVG(CAST(d AS BIGINT)) AS c0 FROM fuzz', /CAST\(d/, /AVG/],
  ["SELECT '-1.5' = 7 OR '-1.5' = -1 AS c0", /1\.5/, / OR /],
  ['SELECT DECODE_BASE64_UTF8(s) AS c0 FROM fuzz', /DECODE/, /\(s\)/],
  ['SELECT T AS k, LATEST(s) AS c0, COUNT(DISTINCT n) AS c1 FROM fuzz GROUP BY 1', /DISTINCT/, /LATEST/],
  ['SELECT APPROX_COUNT_DISTINCT_DS_THETA(s) + l AS c0 FROM fuzz', /\bl\b/, /THETA/],
  ['SELECT COUNT(*) AS c0 FROM fuzz WHERE l > 9007199254740993', /9007199254740993/, /l >/],
  ['SELECT AVG(l) AS c0 FROM fuzz', /\bl\b/, /AVG/],
  ["SELECT REGEXP_REPLACE(s, '.*', 'x') AS c0 FROM fuzz", /'\.\*'/, /REGEXP/],
  ["SELECT COUNT(*) AS c0 FROM fuzz WHERE T = 't1' AND CAST(T AS BIGINT) < 7", /T = /, /CAST/],
  ['SELECT COUNT(*) AS c0 FROM fuzz WHERE (d = d) IS NOT NULL', /d = d/, /IS NOT NULL/],
  ['SELECT NVL(ARRAY_OFFSET(ARRAY[1, n], 3), 0) AS c0 FROM fuzz', /NVL/, /OFFSET/],
  ['SELECT APPROX_COUNT_DISTINCT(s) AS c0 FROM fuzz', /APPROX/, /\(?s\)/],
  ["SELECT STRING_FORMAT('%f', GREATEST(d, n)) AS c0 FROM fuzz", /GREATEST/, /FORMAT/],
  ['SELECT ANY_VALUE(s) AS c0 FROM fuzz', /ANY_VALUE/, /\(s\)/],
  ['SELECT T, COUNT(DISTINCT s) AS c0 FROM fuzz GROUP BY ROLLUP (T)', /DISTINCT/, /ROLLUP/],
  ['SELECT COUNT(*) AS c0 FROM (SELECT CAST(s AS BIGINT) AS k FROM fuzz) AS q WHERE k <> 7', /\(s AS/, /<> 7/],
  ["SELECT s = 7 AS c0 FROM (VALUES ('x'), ('7')) AS v(s)", /'x'/, /VALUES/],
  ['SELECT COUNT(*) AS c0 FROM (VALUES (1.5), (-0.5)) AS v(d) WHERE CAST(d AS BOOLEAN)', /-0\.5/, /BOOLEAN/],
  ['SELECT TO_JSON_STRING(s IN (7, NULL)) AS c0 FROM fuzz', /, NULL/, / IN /],
  ['SELECT l - FLOOR(n) AS c0 FROM fuzz', /\bl\b/, /FLOOR/],
  ["SELECT TRUNCATE(n, 1) || 'a' AS c0 FROM fuzz", /^(?!.*AS BIGINT)/, /TRUNCATE/],
  ['SELECT CAST(d AS BOOLEAN) AS c0 FROM fuzz GROUP BY 1', /^(?!.*CASE)/, /BOOLEAN/],
  ['SELECT COUNT(*) AS c0 FROM fuzz WHERE ROUND(d) = 0', /^(?!.*1\.0)/, /= 0/],
  ["SELECT IPV4_PARSE(s || '-' || n) AS c0 FROM fuzz", /'-'/, /IPV4/],
  ['SELECT TIMESTAMPDIFF(MONTH, ts, __time) AS c0 FROM fuzz', /\bts\b/, /MONTH/],
  [
    "SELECT TIME_FLOOR(TIME_PARSE(CAST(l AS VARCHAR), 'Y'), 'P1D') AS c0, NULL AS null1 FROM fuzz",
    /\bl\b/,
    /TIME_PARSE/,
  ],
  ['SELECT STDDEV(n) AS c0 FROM (SELECT CAST(d AS INTEGER) AS n FROM fuzz) AS q', /CAST\(d/, /STDDEV/],
  ["SELECT TIME_FLOOR(__time, 'PT6H', NULL, 'Asia/Kathmandu') AS c0 FROM fuzz", /Kathmandu/, /TIME_FLOOR/],
])('what a reason speaks of sets the answers apart, or it is none: %s', async (text, word, fault) => {
  expect((await talliedOf(text, word)).known.size).toBe(1)
  expect((await talliedOf(text, fault)).unknown.size).toBe(1)
})

test('a deviation that is nearly 0 is known for one that is, no other', () => {
  const of = (druid: number): string | undefined =>
    knownDifferences.find((entry) =>
      entry.matches({
        query: { kind: 'sql', text: 'SELECT STDDEV(d) AS c0 FROM fuzz' },
        embedded: answerOf(0),
        druid: answerOf(druid),
        difference: 'c0: number and number',
      }),
    )?.reason
  expect(of(1e-8)).toContain('a deviation of doubles that are all the same')
  expect(of(0.1)).not.toContain('a deviation of doubles that are all the same')
})

test('doubles are known for their last digits, never for others', () => {
  const of = (druid: string): string | undefined =>
    knownDifferences.find((entry) =>
      entry.matches({
        query: { kind: 'sql', text: 'SELECT EXP(d) AS c0 FROM fuzz' },
        embedded: { status: 200, text: '[{"c0":"2.718281828459045"}]' },
        druid: { status: 200, text: `[{"c0":"${druid}"}]` },
        difference: 'c0: string and string',
      }),
    )?.reason
  expect(of('2.7182818284590446')).toBe('functions of doubles end in other digits')
  expect(of('2.7182')).toBeUndefined()
})

test('a call of constants is known for one that Druid does not take for null, only where it is null here', async () => {
  const text = "SELECT COUNT(*) AS c0 FROM fuzz WHERE n IS NOT DISTINCT FROM PARSE_LONG('a')"
  const isCalled = /PARSE_LONG/
  const engines = (ofCall: number): BothEngines => ({
    embedded: async (query) => answerOf(isCalled.test(query.text) ? ofCall : 7),
    druid: async (query) => answerOf(isCalled.test(query.text) ? 0 : 7),
    close: async () => undefined,
  })
  const tallied = async (ofCall: number): Promise<Tally> => {
    const tally = newTally()
    await askBoth(engines(ofCall), madeOf(text), 0, tally)
    return tally
  }
  expect((await tallied(7)).known.size).toBe(1)
  expect((await tallied(3)).unknown.size).toBe(1)
})

test.each<readonly ['sql' | 'native', string, string, string]>([
  ['sql', 'SELECT COUNT(*) AS c0, APPROX_COUNT_DISTINCT(LPAD(s, 3)) AS c1 FROM fuzz', 'c1', 'c0'],
  [
    'native',
    '{"aggregations":[{"type":"count","name":"a0"},{"type":"cardinality","name":"a1","fields":["s"]}]}',
    'a1',
    'a0',
  ],
])('estimates are near, and what stands beside them is the same: %s', (kind, text, estimate, exact) => {
  const of = (name: string): string | undefined => {
    const answers = [20, 21].map((value) => ({
      status: 200,
      text: JSON.stringify([{ [estimate]: 30, [exact]: 30, [name]: value }]),
    }))
    const found = { query: { kind, text }, embedded: answers[0]!, druid: answers[1]!, difference: 'c' }
    return knownDifferences.find((entry) => entry.matches(found))?.reason
  }
  expect(of(estimate)).toBe('sketches are estimates in Druid, and exact here')
  expect(of(exact)).not.toBe('sketches are estimates in Druid, and exact here')
})
