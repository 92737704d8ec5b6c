import { expect, test } from 'vitest'
import { emptyNote, noteOf, noteText } from './validation-notes.ts'

const validating = { position: 0, fromPosition: 0, throughPosition: 1, entries: 1, level: 0 }

test.each([emptyNote, { validating, suspect: { ...validating, deaths: 1, isDue: false } }])(
  'reads back the note %j',
  (note) => {
    expect(noteOf(noteText(note))).toEqual(note)
  },
)

test.each(['', 'x', '5', '[]', '{}', '{"validating":null}', '{"suspect":null}'])('reads no note from %s', (text) => {
  expect(noteOf(text)).toBeNull()
})
