// `test/e2e/push.test.ts` runs the programs themselves.
import { expect, test } from 'vitest'
import { ownNames, usualWritten, withColumn, withConstant } from './columns.ts'
import { languages, programOf } from './programs.ts'

const push = { url: 'http://127.0.0.1:8080', alias: 'plant', fileName: null, columns: null }

test('quotes in a row are escaped in the shell command', () => {
  const rows = [`{"T":"it's $(x)"}`]
  expect(programOf('curl', { ...push, rows })).toContain(`'[\n  {"T":"it'\\''s $(x)"}\n]'`)
  expect(programOf('tidemark', { ...push, rows })).toContain(`printf '%s\\n' '{"T":"it'\\''s $(x)"}'`)
})

test('JSON literals that Python lacks are translated, except in strings', () => {
  const rows = [String.raw`{"a":true,"b":null,"c":"null \"true\" \/ \\/","d":[false]}`]
  expect(programOf('python', { ...push, rows })).toContain(
    String.raw`{"a":True,"b":None,"c":"null \"true\" / \\/","d":[False]}`,
  )
})

test('the JavaScript program keeps backslashes, template syntax and integers above 2^53 unchanged', () => {
  const rows = ['{"T":"C:\\\\temp `$' + '{x}`","n":9007199254740993}']
  const escaped = '{"T":"C:\\\\\\\\temp \\`\\$' + '{x}\\`","n":9007199254740993}'
  expect(programOf('javascript', { ...push, rows })).toContain(['const rows = `[', `  ${escaped}`, ']`', ''].join('\n'))
})

test('the command contains the mapping of the columns', () => {
  const columns = withConstant(withColumn(withColumn(ownNames(['t', 'V', 'n,m']), 't', 'D'), 'n,m', null), 'T', 'a b')
  expect(programOf('tidemark', { ...push, fileName: "it's.csv", columns, rows: [] })).toBe(
    `tidemark push 'plant' 'it'\\''s.csv' \\\n  --url 'http://127.0.0.1:8080' \\\n  --map 't=D' \\\n  --set 'T=a b' \\\n  --drop 'n\\,m'`,
  )
})

test('a column mapped to a field after a constant was set replaces the constant in the command', () => {
  const columns = withColumn(withConstant(ownNames(['t', 'note']), 'T', 'a b'), 'note', 'T')
  expect(programOf('tidemark', { ...push, fileName: 'a.csv', columns, rows: [] })).not.toContain('--set')
})

test('the command contains the format of the file', () => {
  const written = {
    ...usualWritten,
    delimiter: '\t',
    decimal: 'comma',
    timeFormat: 'd/M/yyyy',
    timeZone: 'Europe/Madrid',
  } as const
  const columns = ownNames(['D', 'T', 'V'], { ...written, ambiguous: 'later' })
  const text = programOf('tidemark', { ...push, fileName: 'a.csv', columns, rows: [] })
  expect(text.split(' \\\n').slice(2)).toEqual([
    `  --delimiter 'tab'`,
    `  --decimal 'comma'`,
    `  --time-format 'd/M/yyyy'`,
    `  --time-zone 'Europe/Madrid'`,
    `  --ambiguous 'later'`,
  ])
})

test.each([
  ['note', false],
  ['V', true],
])('the command has --as-is if a column that is not a field is pushed; dropped column: %s', (left, strange) => {
  const columns = withColumn(ownNames(['D', 'T', 'V', 'note']), left, null)
  const fields = ['D', 'T', 'V'].map((source) => ({ source, type: 'double' as const }))
  const text = programOf('tidemark', { ...push, fileName: 'a.csv', columns, rows: [], fields })
  expect(text.endsWith(' \\\n  --as-is')).toBe(strange)
})

test('the command contains columns joined to one time, and skipped lines', () => {
  const lines = { headerLine: 2, skipLines: 4, comment: '#' }
  const columns = withColumn(
    withColumn(ownNames(['day', 'at', 'T'], { ...usualWritten, lines }), 'day', 'D'),
    'at',
    'D',
  )
  const fields = [{ source: 'D', type: 'timestamp' as const }]
  const text = programOf('tidemark', { ...push, fileName: 'a.csv', columns, rows: [], fields, isOpen: true })
  expect(text.split(' \\\n').slice(2)).toEqual([
    `  --map 'day=D'`,
    `  --time 'day+at'`,
    `  --header-line '2'`,
    `  --skip-lines '4'`,
    `  --comment '#'`,
  ])
})

test('line protocol is pushed unchanged, with the precision of its times', () => {
  const rows = [`weather,place=N\\ 1 note="it's C:\\\\ \\"x\\"" 1767225600`, '# none']
  const lines = { ...push, alias: 'a b', fileName: 'a.lp', rows, precision: 's' } as const
  for (const language of ['curl', 'javascript', 'python'] as const) {
    const text = programOf(language, lines)
    expect(text).toContain('http://127.0.0.1:8080/write?db=a+b&precision=s')
    expect(text).toContain('text/plain')
    expect(text).not.toContain('json')
  }
  expect(programOf('curl', lines)).toContain(`'weather,place=N\\ 1 note="it'\\''s C:\\\\ \\"x\\"" 1767225600\n# none'`)
  expect(programOf('tidemark', lines)).toBe(
    `tidemark push 'a b' 'a.lp' \\\n  --url 'http://127.0.0.1:8080' \\\n  --format lp --precision s`,
  )
})

test('every program reads its key from the environment', () => {
  for (const language of languages.filter((one) => one !== 'tidemark')) {
    expect(programOf(language, { ...push, rows: ['{}'] })).toContain('TIDEMARK_KEY')
  }
})
