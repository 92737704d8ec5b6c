// The programs themselves run in `test/e2e/push.test.ts`.
import { expect, test } from 'vitest'
import { ownNames, withColumn, withConstant } from './columns.ts'
import { languages, programOf } from './programs.ts'

const push = { url: 'http://127.0.0.1:8080', alias: 'plant', fileName: null, columns: null }

test('a quote in a row does not end the text of the shell', () => {
  const rows = [`{"T":"it's $(x)"}`]
  expect(programOf('curl', { ...push, rows })).toContain(`'[\n  {"T":"it'\\''s $(x)"}\n]'`)
  expect(programOf('tidemark', { ...push, rows })).toContain(`echo '{"T":"it'\\''s $(x)"}'`)
})

test('what JSON writes and Python does not is written as Python does, but not in texts', () => {
  const rows = [String.raw`{"a":true,"b":null,"c":"null \"true\" \/ \\/","d":[false]}`]
  expect(programOf('python', { ...push, rows })).toContain(
    String.raw`{"a":True,"b":None,"c":"null \"true\" / \\/","d":[False]}`,
  )
})

test('the command says what becomes of the columns', () => {
  const columns = withConstant(withColumn(withColumn(ownNames(['t', 'V', 'n']), 't', 'D'), 'n', null), 'T', 'a b')
  expect(programOf('tidemark', { ...push, fileName: "it's.csv", columns, rows: [] })).toBe(
    `tidemark push 'plant' 'it'\\''s.csv' \\\n  --url 'http://127.0.0.1:8080' \\\n  --map 't=D' \\\n  --set 'T=a b' \\\n  --drop 'n'`,
  )
})

test('every program takes its key from the environment', () => {
  for (const language of languages.filter((one) => one !== 'tidemark')) {
    expect(programOf(language, { ...push, rows: ['{}'] })).toContain('TIDEMARK_KEY')
  }
})
