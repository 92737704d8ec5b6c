import { expect, test } from 'vitest'
import { answerFormats, formatContentType, formatMediaType } from './answer-format.ts'

test.each(answerFormats)('$name has its media type and content type', ({ name, mediaType, parameters }) => {
  expect(formatMediaType(name)).toBe(mediaType)
  expect(formatContentType(name)).toBe(mediaType + parameters)
})

test('names and media types are unique', () => {
  expect(new Set(answerFormats.map(({ name }) => name)).size).toBe(answerFormats.length)
  expect(new Set(answerFormats.map(({ mediaType }) => mediaType)).size).toBe(answerFormats.length)
})
