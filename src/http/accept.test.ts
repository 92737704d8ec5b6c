import { describe, expect, test } from 'vitest'
import { formatContentType } from '../model/answer-format.ts'
import { acceptsType, formatFor } from './accept.ts'

describe('the format of an answer', () => {
  test.each([
    [undefined, 'json'],
    ['', 'json'],
    ['*/*', 'json'],
    ['application/*', 'json'],
    ['text/*', 'csv'],
    ['TEXT/CSV', 'csv'],
    ['text/csv; charset=utf-8; header=present', 'csv'],
    ['text/csv, */*', 'csv'],
    ['text/csv, application/json', 'csv'],
    ['application/json, text/csv', 'json'],
    ['text/csv;q=0.5, application/json;q=0.4', 'csv'],
    ['text/csv;q=0.5, */*', 'json'],
    ['application/json;q=0, */*', 'csv'],
    ['application/x-ndjson, application/*;q=0.9', 'ndjson'],
    ['application/vnd.apache.arrow.stream', 'arrow'],
    ['text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8', 'json'],
    ['text/csv;q=0, text/*', 'none'],
    ['text/html', 'none'],
    ['application/json;q=0', 'none'],
    ['*/*;q=0', 'none'],
  ])('Accept of %s selects %s', (accept, format) => {
    if (format !== 'none') expect(formatFor(accept)).toBe(format)
    else {
      expect(() => formatFor(accept)).toThrow(
        'The answer can be application/json, text/csv, application/x-ndjson or application/vnd.apache.arrow.stream.',
      )
    }
  })

  test('the Content-Type of CSV states its charset', () => {
    expect([formatContentType('csv'), formatContentType('ndjson')]).toEqual([
      'text/csv; charset=utf-8',
      'application/x-ndjson',
    ])
  })
})

test.each([
  [undefined, true],
  ['application/json', true],
  ['application/*;q=0.1', true],
  ['application/json;q=0, */*', false],
  ['text/csv', false],
])('Accept of %s allows JSON: %s', (accept, takes) => {
  expect(acceptsType(accept, 'application/json')).toBe(takes)
})
