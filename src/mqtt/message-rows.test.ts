import { expect, test } from 'vitest'
import { mqttMapping } from '../../test/support/mqtt-mapping.ts'
import { messageRows, ReceiveTimes } from './message-rows.ts'
import { topicTemplate } from './topics.ts'

const template = topicTemplate('plant/{area}/{tag}')
const at = '2026-01-01T00:00:00.000Z'

function rowsOf(topic: string, payload: string | Uint8Array): readonly string[] {
  const bytes = typeof payload === 'string' ? new TextEncoder().encode(payload) : payload
  const receiveTimes = new ReceiveTimes(() => Date.parse(at))
  const options = mqttMapping({ template, timeField: 'D', tagFields: ['tag'], receiveTimes })
  return messageRows({ topic, payload: bytes }, options)
}

const head = `{"area":"hall","tag":"t1","D":"${at}"`
const later = (ms: number): string => `{"area":"hall","tag":"t1","D":"2026-01-01T00:00:00.00${ms}Z"`

test.each<[string, string, string[]]>([
  ['a number, digit for digit', '9007199254740993', [`${head},"V":9007199254740993}`]],
  ['a number with blanks around', ' 1.50\n', [`${head},"V":1.50}`]],
  ['a boolean', 'true', [`${head},"V":true}`]],
  ['a JSON string', '"on"', [`${head},"V":"on"}`]],
  ['plain text', 'on "fire"', [`${head},"V":"on \\"fire\\""}`]],
  ['text that resembles a number', '1,5', [`${head},"V":"1,5"}`]],
  ['null', 'null', [`${head},"V":null}`]],
  ['an object', '{"V": 1}', [`${head},"V": 1}`]],
  ['a number with a terminating zero byte', '21.5\0', [`${head},"V":21.5}`]],
  ['an object with several terminating zero bytes', '{"V": 1}\r\n\0\0', [`${head},"V": 1}`]],
  ['text with a zero byte within it', 'a\0b\0', [`${head},"V":"a\\u0000b"}`]],
  ['an object after a byte order mark', '\ufeff{"V": 1}', [`${head},"V": 1}`]],
  ['a number after a byte order mark', '\ufeff 1.5', [`${head},"V":1.5}`]],
  ['text after a byte order mark', '\ufeffon', [`${head},"V":"on"}`]],
  ['an array after a byte order mark', '\ufeff[1]', [`${head},"V":1}`]],
  ['an empty object', ' { } ', [`${head} }`]],
  [
    'an object with its own time and tag',
    '{"D":"2025-01-01","tag":"x","V":1}',
    ['{"area":"hall","D":"2025-01-01","tag":"x","V":1}'],
  ],
  [
    'an array',
    '[{"V":1}, 2 ,"a,b",[3]]',
    [`${head},"V":1}`, `${later(1)},"V":2}`, `${later(2)},"V":"a,b"}`, `${later(3)},"V":[3]}`],
  ],
  [
    'an array of two tags, with one row that has its own time',
    '[{"tag":"x","V":1},{"V":2},{"tag":"x","V":3},{"D":"2025-01-01","V":4}]',
    [
      `{"area":"hall","D":"${at}","tag":"x","V":1}`,
      `${head},"V":2}`,
      `{"area":"hall","D":"2026-01-01T00:00:00.001Z","tag":"x","V":3}`,
      '{"area":"hall","tag":"t1","D":"2025-01-01","V":4}',
    ],
  ],
  ['an empty array', '[]', []],
  [
    'truncated JSON',
    '{"V":1',
    ['{"mqtt_error":"the payload is broken JSON","mqtt_topic":"plant/hall/t1","mqtt_payload":"{\\"V\\":1"}'],
  ],
  ['an empty payload', '', ['{"mqtt_error":"the payload is empty","mqtt_topic":"plant/hall/t1","mqtt_payload":""}']],
])('%s', (_, payload, rows) => {
  expect(rowsOf('plant/hall/t1', payload)).toEqual(rows)
  for (const row of rows) JSON.parse(row)
})

test('strings and booleans may have their own properties', () => {
  const options = mqttMapping({ valueFields: { number: 'V', text: 'S', truth: 'B' } })
  const payload = new TextEncoder().encode('[1,null,"on",true,{"V":"x"}]')
  expect(messageRows({ topic: 't', payload }, options)).toEqual([
    '{"V":1}',
    '{"V":null}',
    '{"S":"on"}',
    '{"B":true}',
    '{"V":"x"}',
  ])
})

test('a payload that is not UTF-8, or of another topic, becomes an error row with the original', () => {
  expect(rowsOf('plant/hall/t1', new Uint8Array([0xff, 0]))).toEqual([
    '{"mqtt_error":"the payload is not UTF-8","mqtt_topic":"plant/hall/t1","mqtt_payload_base64":"/wA="}',
  ])
  expect(rowsOf('other', '1')).toEqual([
    '{"mqtt_error":"the topic does not fit --topic","mqtt_topic":"other","mqtt_payload":"1"}',
  ])
})

test.each<[string, string, Record<string, string> | null]>([
  ['plant/{area}/{tag}', 'plant/hall/t1', { area: 'hall', tag: 't1' }],
  ['plant/{area}/{tag}', 'plant/hall', null],
  ['plant/{area}/{tag}', 'plant/hall/t1/x', null],
  ['{site}/{tag...}', 'a/b/c', { site: 'a', tag: 'b/c' }],
  ['{tag...}', 'a', { tag: 'a' }],
  ['a/b', 'a/b', {}],
])('template %s on topic %s', (text, topic, properties) => {
  const found = topicTemplate(text).propertiesOf(topic)
  if (found !== null) expect(topicTemplate(text).names).toEqual([...found.keys()])
  expect(found === null ? null : Object.fromEntries(found)).toEqual(properties)
})

test.each([
  ['a/x{tag}', 'a name must be alone between two slashes'],
  ['{tag}/{tag}', 'has {tag} twice'],
  ['{tag...}/b', 'continues after {name...}'],
])('%s is not a template', (text, message) => {
  expect(() => topicTemplate(text)).toThrow(message)
})

test('rows of one series get increasing times, other series the current time', () => {
  let nowMs = 100
  const times = new ReceiveTimes(() => nowMs)
  expect(['a', 'a', 'b', 'a'].map((series) => times.next(series))).toEqual([100, 101, 100, 102])
  nowMs = 101
  expect(times.next('a')).toBe(103)
  nowMs = 500
  expect(times.next('a')).toBe(500)
  // The clock is set back.
  nowMs = 200
  expect(times.next('a')).toBe(501)
})

test('of 10,000 series, those whose last time has passed are forgotten, not one whose last time is ahead of the clock', () => {
  let nowMs = 0
  const times = new ReceiveTimes(() => nowMs)
  for (let at = 0; at < 50; at++) times.next('a')
  for (let at = 0; at < 9_999; at++) times.next(`s${at}`)
  nowMs = 2
  expect(times.next('b')).toBe(2)
  expect(times.next('a')).toBe(50)
  // The clock is set back: a series that is not forgotten continues after its last time.
  nowMs = 0
  expect(times.next('s0')).toBe(0)
  expect(times.next('b')).toBe(3)
})
