import { expect, test } from 'vitest'
import { FilePins } from './file-pins.ts'
import type { SealedFile } from './sealed-source.ts'

function fileNamed(name: string): SealedFile {
  return {
    digits: new Map(),
    info: {
      entityId: 1,
      kind: 'mixed',
      day: null,
      name,
      rows: 1,
      firstMs: 0,
      lastMs: 0,
      firstPosition: 0,
      lastPosition: 0,
      bytes: 1,
      indexBytes: 1,
    },
    open() {
      throw new Error('nobody reads it')
    },
  }
}

const [one, two] = ['one', 'two'].map(fileNamed)

test('a file without readers is gone when it is removed', () => {
  const gone: SealedFile[] = []
  new FilePins().remove(one, (file) => gone.push(file))
  expect(gone).toEqual([one])
})

test('a removed file is gone after its last reader, once', () => {
  const pins = new FilePins()
  const gone: SealedFile[] = []
  pins.pin([one, two])
  pins.pin([one])
  pins.remove(one, (file) => gone.push(file))
  pins.unpin([one, two])
  expect(gone).toEqual([])
  pins.unpin([one])
  expect(gone).toEqual([one])
  pins.pin([two])
  pins.unpin([two])
  expect(gone).toEqual([one])
})
