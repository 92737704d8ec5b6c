import { expect, test } from 'vitest'
import { firstSteps } from './serve.ts'

test('the first steps show the URL and the key to paste', () => {
  const text = firstSteps('http://127.0.0.1:8080', 'tm_key')
  expect(text).toContain('  export TIDEMARK_URL=http://127.0.0.1:8080 TIDEMARK_KEY=tm_key\n')
  expect(text).toContain('http://127.0.0.1:8080/docs')
})
