// The examples work when they are pasted: the ingest has the fields that the messages contain.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { tidemark } from '../../test/support/cli.ts'
import { parseField } from './ingests.ts'

/** Reads a text that first creates an ingest and then receives messages for it. */
function firstExample(text: string) {
  const fields = /tidemark ingests create plant .*--field (\S+)/.exec(text)?.[1]?.split(',').map(parseField) ?? []
  const topic = /tidemark mqtt .*--topic '([^']+)'/.exec(text)?.[1] ?? ''
  return { names: fields.map(({ name }) => name), asked: [...topic.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!) }
}

const guide = readFileSync('docs/guides/mqtt.md', 'utf8')
const { out: help } = await tidemark('http://127.0.0.1:1', ['mqtt', '--help'])

test.each([
  ['the MQTT guide', guide],
  ['--help', help],
])('the first example of %s creates an ingest with a field for each name in its topic and for the value', (_, text) => {
  const { names, asked } = firstExample(text)
  expect(asked).toEqual(['area', 'T'])
  expect(names).toEqual(expect.arrayContaining([...asked, 'V']))
})

test('the guide shows how to create its key before using it', () => {
  const first = /```sh\n([\s\S]*?)```/.exec(guide)![1]!
  const commands = ['ingests create plant', 'subscribers create', 'subscriptions add', 'keys create', 'mqtt --broker']
  const places = commands.map((command) => first.indexOf(`tidemark ${command}`))
  expect(places.every((place) => place >= 0)).toBe(true)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
})
