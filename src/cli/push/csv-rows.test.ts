// The format of a CSV file, and the messages for files in another format.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { type Answers, closeServices, service, tidemark } from '../../../test/support/cli.ts'
import { defaultSeriesFields } from '../../model/field.ts'

const folder = mkdtempSync(join(tmpdir(), 'tidemark-'))

afterEach(closeServices)
afterAll(() => rmSync(folder, { recursive: true }))

const pushed = 'POST /ingests/plant/data '

/** A service whose ingest `plant` accepts rows {D, T, V}; it rejects the first row with the message, if there is one, which begins with the field. */
function plant(rejection: string | null = null, unknown: 'add' | 'reject' = 'reject'): Answers {
  const receipt = (rows: number) => {
    const rejected = rejection === null ? 0 : 1
    const field = rejection?.split(':')[0]
    const code = field === 'D' ? 'invalid_time' : 'wrong_type'
    const errors = rejection === null ? [] : [{ index: 0, field, code, message: rejection }]
    return { batch: 'b', rows, stored: rows - rejected, rejected, pending: 0, replaced: 0, errors }
  }
  const answers: Answers = {
    'GET /ingests/plant': () => [200, { alias: 'plant', fields: defaultSeriesFields, unknown }],
    'POST /ingests/plant/data': (body) => {
      const rows = body.trimEnd().split('\n').length
      answers['GET /ingests/plant/batches/b'] = () => [200, receipt(rows)]
      return [200, { batch: 'b', rows }]
    },
  }
  return answers
}

async function pushCsv(
  csv: string | Uint8Array,
  options: readonly string[],
  rejection: string | null = null,
  unknown: 'add' | 'reject' = 'reject',
) {
  const { url, seen } = await service(plant(rejection, unknown))
  const ran = await tidemark(url, ['push', 'plant', '-', '--format', 'csv', ...options], csv)
  const rows = seen
    .filter((one) => one.startsWith(pushed))
    .flatMap((one) => one.slice(pushed.length).trim().split('\n'))
  return { ...ran, rows: rows.map((row) => JSON.parse(row)) }
}

test('reads times by a pattern in a time zone', async () => {
  const options = ['--time-format', 'dd/MM/yyyy HH:mm', '--time-zone', 'Europe/Madrid']
  const { code, rows } = await pushCsv('D,T,V\n25/10/2026 01:30,a,1\n', options)
  expect(code).toBe(0)
  expect(rows).toEqual([{ D: '2026-10-24T23:30:00.000Z', T: 'a', V: 1 }])
})

test('a local time that occurs twice ends the push with an error; --ambiguous resolves it', async () => {
  const csv = 'D,T,V\n2026-10-25 01:30,a,1\n2026-10-25 02:30,a,2\n'
  const refused = await pushCsv(csv, ['--time-zone', 'Europe/Madrid'])
  expect(refused.code).toBe(1)
  expect(refused.err).toContain(
    'the rest of the file was not read: line 3: in "D", "2026-10-25 02:30" occurs twice in Europe/Madrid',
  )
  const { code, rows } = await pushCsv(csv, ['--time-zone', 'Europe/Madrid', '--ambiguous', 'later'])
  expect([code, rows[1].D]).toEqual([0, '2026-10-25T01:30:00.000Z'])
})

test.each([
  [['--time-format', 'dd/mm/yyyy'], 'has no month: "M". Months are MM, and minutes mm.'],
  [['--time-zone', 'Madrid'], '"Madrid" is not a time zone.'],
])('%j is refused before any request is sent', async (options, message) => {
  const { code, err, rows } = await pushCsv('D,T,V\n1,a,1\n', options)
  expect([code, rows]).toEqual([64, []])
  expect(err).toContain(message)
})

test('an unnamed column, such as the pandas index, is reported, and can be dropped or mapped', async () => {
  const csv = ',D,T,V\n0,2026-01-01T00:00:00Z,a,1\n'
  const refused = await pushCsv(csv, [])
  expect([refused.code, refused.rows]).toEqual([1, []])
  expect(refused.err).toContain('as in --map =FIELD, leave them out with --drop "",')
  const { code, rows } = await pushCsv(csv, ['--drop', ''])
  expect([code, rows]).toEqual([0, [{ D: '2026-01-01T00:00:00Z', T: 'a', V: 1 }]])
  expect((await pushCsv(csv, ['--drop', ',T', '--set', 'T=b'])).rows).toMatchObject([{ T: 'b' }])
  expect((await pushCsv(csv, ['--map', '=V', '--drop', 'V'])).rows).toMatchObject([{ V: 0 }])
})

test('for rejected times in seconds, proposes --time-format seconds', async () => {
  const fault = 'D: expected an ISO 8601 date-time or whole milliseconds since 1970, got "1397088120"'
  const { out } = await pushCsv('D,T,V\n1397088120,a,1\n', [], fault)
  expect(out).toContain('For times like "1397088120" use --time-format seconds.\n')
})

test('detects semicolons as written by Excel, and prints a command that works', async () => {
  const csv = 'D;T;V\n25/10/2026 01:30;a;1,5\n'
  const format = ['--time-format', 'dd/MM/yyyy HH:mm']
  const refused = await pushCsv(csv, format)
  expect([refused.code, refused.rows]).toEqual([1, []])
  expect(refused.err).toBe(
    'tidemark: The columns are separated by ";", not by ",". Nothing was sent. Type: ' +
      'tidemark push plant - --format csv --delimiter ";" --decimal comma --time-format "dd/MM/yyyy HH:mm"\n',
  )
  const { rows } = await pushCsv(csv, [...format, '--delimiter', ';', '--decimal', 'comma'])
  expect(rows).toEqual([{ D: '2026-10-25T01:30:00.000Z', T: 'a', V: 1.5 }])
})

test('skips the line that tells Excel the delimiter, but counts it in line numbers', async () => {
  const csv = 'sep=;\r\nD;T;V\r\n2026-01-01;a;1\r\n'
  const refused = await pushCsv(csv, [])
  expect(refused.err).toContain('Type: tidemark push plant - --format csv --delimiter ";"\n')
  const { rows } = await pushCsv(csv, ['--delimiter', ';'])
  expect(rows).toEqual([{ D: '2026-01-01', T: 'a', V: 1 }])
  const { err } = await pushCsv(`${csv}2026-01-01;a\r\n`, ['--delimiter', ';'])
  expect(err).toContain('line 4: there are 2 cells')
})

test('the proposed command contains all options as typed, except the key', async () => {
  const { url } = await service(plant())
  const typed = ['--dry-run', '--skip-rows', '7', '--batch-rows', '5', '--json', '--format', 'csv', '--set', 'T=a b']
  const { err } = await tidemark(
    url,
    ['push', 'plant', '-', ...typed, '--url', url, '--key', 'k'],
    'D;V\n2026-01-01;1\n',
  )
  expect(err).toContain(
    'Type: tidemark push plant - --format csv --batch-rows 5 --skip-rows 7 --dry-run --json ' +
      `--url ${url} --key ... --set "T=a b" --delimiter ";"\n`,
  )
})

test.each([
  [
    'UTF-16',
    Buffer.from('\ufeffD,T,V\n2026-01-01,a,1\n', 'utf16le'),
    'tidemark: The file is UTF-16LE, as its first bytes',
  ],
  [
    'Latin-1',
    Buffer.from('D,T,V\n2026-01-01,caf\xe9,1\n', 'latin1'),
    'line 2: the file is not UTF-8: the byte 0xE9 at offset 20',
  ],
])('refuses %s, and names the encoding', async (_, csv, message) => {
  const { code, err, rows } = await pushCsv(csv, [])
  expect([code, rows]).toEqual([1, []])
  expect(err).toContain(message)
})

test('reports all unknown columns before anything is sent, with the options to use', async () => {
  const csv = 'timestamp,T,value,a note\n2026-01-01,a,1,x\n'
  const refused = await pushCsv(csv, [])
  expect([refused.code, refused.rows]).toEqual([1, []])
  expect(refused.err).toBe(
    'tidemark: The ingest plant has no fields with the names "timestamp", "value", "a note". Nothing was sent. ' +
      'Its fields without a column are D, V. Map the columns to fields, as in --map "timestamp=D,value=V,a note=FIELD", ' +
      'leave them out with --drop "timestamp,value,a note", or push them with --as-is: their rows are rejected, and kept.\n',
  )
  const mapped = await pushCsv(csv, ['--map', 'timestamp=D,value=V', '--drop', 'a note'])
  expect(mapped.rows).toEqual([{ D: '2026-01-01', T: 'a', V: 1 }])
  const asIs = await pushCsv(csv, ['--as-is'])
  expect(asIs.rows).toEqual([{ timestamp: '2026-01-01', T: 'a', value: 1, 'a note': 'x' }])
})

test('guesses no fields from the cells if a file has only a header', async () => {
  const { code, err } = await pushCsv('timestamp,value,sensor\n', [])
  expect(code).toBe(1)
  expect(err).toContain('The file has a header and no rows, so the content of its columns is not known.')
  expect(err).toContain('--map timestamp=D,value=FIELD,sensor=FIELD')
})

test.each(['2026-01-01T08:00:00Z,a,1', 'a,1.5,x', '01.02.2026 08:00;a;1,5'])(
  'warns that %s may not be a header',
  async (row) => {
    const { code, err, rows } = await pushCsv(`${row}\n${row}\n`, row.includes(';') ? ['--delimiter', ';'] : [])
    expect([code, rows]).toEqual([1, []])
    expect(err).toContain(
      'The first line looks like a row: if the file has no header, put a line with the names of its columns before it.',
    )
    expect(err).not.toContain('a header and no rows')
  },
)

test('reads a .tsv file as tab-separated', async () => {
  const path = join(folder, 'rows.tsv')
  writeFileSync(path, 'D\tT\tV\n2026-01-01\ta,b\t1\n')
  const { url, seen } = await service(plant())
  expect((await tidemark(url, ['push', 'plant', path])).code).toBe(0)
  expect(seen).toContain(`${pushed}{"D":"2026-01-01","T":"a,b","V":1}\n`)
})

test('refuses a --set property that is not a field in the same way', async () => {
  const csv = 'D,T,value\n2026-01-01,a,1\n'
  const both = await pushCsv(csv, ['--set', 'Z=1'])
  expect([both.code, both.rows]).toEqual([1, []])
  expect(both.err).toContain(
    'has no fields with the names "value", "Z". Nothing was sent. Its fields without a column are V. Map the columns to fields, as in --map value=V, ' +
      "leave them out with --drop value, give --set a field's name, not Z, or push them with --as-is",
  )
  const alone = await pushCsv(csv, ['--set', 'Z=1', '--map', 'value=V'])
  expect([alone.code, alone.rows]).toEqual([1, []])
  expect(alone.err).toContain("Nothing was sent. Give --set a field's name, not Z, or push them with --as-is")
  const asIs = await pushCsv(csv, ['--set', 'Z=1', '--map', 'value=V', '--as-is'])
  expect(asIs.rows).toEqual([{ D: '2026-01-01', T: 'a', V: 1, Z: 1 }])
})

test('for rejected numbers with a comma, proposes --decimal comma', async () => {
  const { out } = await pushCsv('D,T,V\n2026-01-01,a,"1,5"\n', [], 'V: expected a number, got "1,5"')
  expect(out).toContain('For numbers like "1,5" use --decimal comma.\n')
})

test('reads thousands separators only if they are unambiguous, and reports other numbers', async () => {
  const point = await pushCsv(
    'D,T,V\n2026-01-01,a,"1,081.5"\n2026-01-02,a,"1,081"\n',
    [],
    'V: expected a number, got "1,081"',
  )
  expect(point.rows.map(({ V }) => V)).toEqual([1081.5, '1,081'])
  expect(point.out).toContain(
    'The comma in "1,081" may separate thousands or be the decimal sign. --decimal comma reads 1.081; if 1081 is meant, write it like that in the file.\n',
  )
  const options = ['--delimiter', ';', '--decimal', 'comma']
  const comma = await pushCsv(
    'D;T;V\n2026-01-01;a;1.081,5\n2026-01-02;a;81.5\n',
    options,
    'V: expected a number, got "81.5"',
  )
  expect(comma.rows.map(({ V }) => V)).toEqual([1081.5, '81.5'])
  expect(comma.out).toContain('Numbers like "81.5" have a decimal point: they are read without --decimal comma.\n')
})

test('reports a wrong encoding before any fault of the header', async () => {
  const { code, err, rows } = await pushCsv(Buffer.from('D;T;Größe\n2026-01-01;a;1\n', 'latin1'), [])
  expect([code, rows]).toEqual([1, []])
  expect(err).toContain('line 1: the file is not UTF-8: the byte 0xF6')
})

test('detects semicolons if cells of JSON are not valid CSV with commas', async () => {
  const { code, err } = await pushCsv('D;T;V\n2026-01-01;"a,""b"",""c""";1\n2026-01-01;{"x":1,"y":2};1\n', [])
  expect(code).toBe(1)
  expect(err).toContain('The columns are separated by ";", not by ",".')
})

test.each([
  ['T,V\na,1\n', [], 'No column is mapped to D, which each row of plant must have. Nothing was sent.'],
  ['V\n1\n', [], 'No column is mapped to D, T, which each row'],
  ['D,T,V\n2026-01-01,a,1\n', ['--drop', 'T'], 'No column is mapped to T'],
])('%j with %j is refused for lack of a required field', async (csv, options, message) => {
  const { code, err, rows } = await pushCsv(csv, options)
  expect([code, rows]).toEqual([1, []])
  expect(err).toContain(message)
  expect((await pushCsv(csv, [...options, '--as-is'])).rows).toHaveLength(1)
})

test('proposes fields for columns by their cells, not by their position', async () => {
  const { err } = await pushCsv('sensor,reading,when\na1,2.5,2026-01-01 08:00\n', [])
  expect(err).toContain('--map sensor=T,reading=V,when=D')
})

const openPush = (csv: string, options: readonly string[] = []) => pushCsv(csv, options, null, 'add')

test('pushes new columns to an open ingest, except those with invalid field names', async () => {
  const { code, rows } = await openPush('D,T,V,temp2\n2026-01-01,a,1,2\n')
  expect([code, rows]).toEqual([0, [{ D: '2026-01-01', T: 'a', V: 1, temp2: 2 }]])
  const refused = await openPush('D,T,"Temp, °C"\n2026-01-01,a,1\n')
  expect([refused.code, refused.rows]).toEqual([1, []])
  expect(refused.err).toContain(
    `Its fields without a column are V. Map the columns to fields, as in --map 'Temp\\, °C=Temp_C'`,
  )
})

test('--types applies to a field that rows add: other values do not add it, and their rows are rejected', async () => {
  const csv = 'D,T,temp2\n2026-01-01,a,n/a\n2026-01-02,a,2\n'
  expect((await openPush(csv, ['--types', 'temp2=double'])).rows).toMatchObject([{ temp2: ['n/a'] }, { temp2: 2 }])
  expect((await openPush(csv, ['--types', 'temp2=string'])).rows).toMatchObject([{ temp2: 'n/a' }, { temp2: '2' }])
  const long = await openPush(csv, ['--types', 'temp2=long'])
  expect([long.code, long.rows]).toEqual([1, []])
  expect(long.err).toContain('but not long. Nothing was sent. An operator can add it: tidemark ingests add-fields')
  const untold = await openPush(csv)
  expect([untold.code, untold.rows]).toEqual([1, []])
  expect(untold.err).toContain(
    '"temp2" would become a string field because of its first value, "n/a", and later values like 2 would be rejected. Nothing was sent. Type: ' +
      'tidemark push plant - --format csv --types temp2=double (or temp2=string if they are strings)',
  )
})

test('proposes --time for separate date and time columns, and reads them as one', async () => {
  const csv = 'Datum;Uhrzeit;T;V\n31.12.2026;24:00;a;1,5\n31.12.2026;;a;2\n'
  const options = ['--delimiter', ';', '--decimal', 'comma']
  const refused = await pushCsv(csv, options)
  expect(refused.err).toContain('Map the columns to fields, as in --time Datum+Uhrzeit, leave them out')
  const format = ['--time-format', 'dd.MM.yyyy HH:mm']
  const { rows } = await pushCsv(csv, [...options, ...format, '--time', 'Datum+Uhrzeit'])
  // A date without its time is not midnight.
  expect(rows).toEqual([
    { D: '2027-01-01T00:00:00.000Z', T: 'a', V: 1.5 },
    { D: null, T: 'a', V: 2 },
  ])
  const wrong = await pushCsv(csv, [...options, '--time', 'Datum+Zeit'])
  expect([wrong.code, wrong.rows]).toEqual([1, []])
  expect(wrong.err).toContain('as date+time, not "Datum+Zeit". Nothing was sent. The columns are: Datum, Uhrzeit, T, V')
})

test.each([
  [
    'a TOA5 header',
    '"TOA5","CR1000"\n"D","T","V"\n"TS","",""\n"","","Avg"\n"2026-01-01","a",1\n',
    '--header-line 2 --skip-lines 4',
  ],
  ['a title line', 'Plot Title: a\nD,T,V\n2026-01-01,a,1\n', '--skip-lines 1'],
  ['InfluxDB annotations', '#datatype,dateTime:RFC3339,string,double\nD,T,V\n2026-01-01,a,1\n', '--comment "#"'],
])('detects %s before the rows, and prints a command that works', async (_, csv, options) => {
  const refused = await pushCsv(csv, [])
  expect([refused.code, refused.rows]).toEqual([1, []])
  expect(refused.err).toContain(`Nothing was sent. Type: tidemark push plant - --format csv ${options}\n`)
  const { code, rows } = await pushCsv(csv, options.replaceAll('"', '').split(' '))
  expect([code, rows]).toEqual([0, [{ D: '2026-01-01', T: 'a', V: 1 }]])
})

test('refuses dates in digits alone, which would be read as 1976, and proposes their pattern', async () => {
  const csv = 'D,T,V\n202301010000,a,1\n202301010015,a,2\n'
  for (const options of [[], ['--dry-run']]) {
    const refused = await pushCsv(csv, options)
    expect([refused.code, refused.rows]).toEqual([1, []])
    expect(refused.err).toContain(
      'D of row 1, 202301010000, is read as milliseconds: 1976-05-30T10:43:30.000Z. As a date (yyyyMMddHHmm) it is 2023-01-01T00:00:00.000Z',
    )
    expect(refused.err).toContain('--time-format yyyyMMddHHmm (--time-format milliseconds if they are milliseconds)\n')
  }
  expect((await pushCsv(csv, ['--time-format', 'yyyyMMddHHmm'])).rows).toMatchObject([
    { D: '2023-01-01T00:00:00.000Z' },
    { D: '2023-01-01T00:15:00.000Z' },
  ])
  const milliseconds = await pushCsv(csv, ['--time-format', 'milliseconds'])
  expect(milliseconds.rows[0]).toMatchObject({ D: '1976-05-30T10:43:30.000Z' })
  expect((await pushCsv(csv, ['--as-is'])).rows).toHaveLength(2)
  // A single one among others is pushed, and reported at the end.
  const one = await pushCsv('D,T,V\n202301010000,a,1\n1672531200000,a,2\n', [])
  expect([one.code, one.rows.length]).toEqual([0, 2])
  expect(one.out).toContain('D of the first row, 202301010000, is read as milliseconds: 1976-')
})

test('for values a field does not accept as written, proposes --convert, which reads them', async () => {
  const csv = 'D, T ,V\n2026-01-01,a, +1.50 \n'
  const { out } = await pushCsv(csv, [], 'V: expected a number, got " +1.50 "')
  expect(out).toContain('Values like " +1.50 " in V are read with --convert V=number.\n')
  expect((await pushCsv(csv, ['--convert', 'V=number'])).rows).toEqual([{ D: '2026-01-01', T: 'a', V: 1.5 }])
  // An option that was given is not proposed again.
  const given = await pushCsv(csv, ['--convert', 'V=number'], 'V: expected a number, got " +1.50 "')
  expect(given.out).not.toContain('are read with --convert')
  expect((await pushCsv(csv, ['--convert', 'V=int'])).code).toBe(64)
})

test('a hint never proposes the pattern that was already given', async () => {
  const options = ['--time-format', 'dd/MM/yyyy HH:mm']
  const fault = 'D: expected an ISO 8601 date-time or whole milliseconds since 1970, got "31/02/2026 10:00"'
  const { out } = await pushCsv('D,T,V\n31/02/2026 10:00,a,1\n', options, fault)
  expect(out).not.toContain('--time-format')
})
