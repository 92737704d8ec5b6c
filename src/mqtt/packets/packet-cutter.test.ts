import { expect, test } from 'vitest'
import { PacketCutter } from './packet-cutter.ts'

/** A packet with `length` bytes after its header. */
function packet(length: number, type = 0x30): Buffer {
  const digits: number[] = []
  for (let rest = length; digits.length === 0 || rest > 0; rest = Math.floor(rest / 128))
    digits.push((rest % 128) + (rest >= 128 ? 128 : 0))
  return Buffer.concat([Buffer.from([type, ...digits]), Buffer.alloc(length, type)])
}

function cut(bytesMax: number, sent: Buffer, atOnce: number): { readonly passed: Buffer; readonly cuts: number[] } {
  const pieces: Buffer[] = []
  const cuts: number[] = []
  const cutter = new PacketCutter(bytesMax, (bytes) => {
    pieces.push(Buffer.from(bytes))
    if (cuts.at(-1) !== cutter.cutBytes) cuts.push(cutter.cutBytes)
  })
  for (let at = 0; at < sent.length; at += atOnce) cutter.push(sent.subarray(at, at + atOnce))
  return { passed: Buffer.concat(pieces), cuts }
}

test.each([1, 2, 7, 100_000])('passes packets up to the limit unchanged, %i bytes at a time', (atOnce) => {
  const sent = Buffer.concat([0, 1, 127, 128, 300, 16_383, 16_384].map((length) => packet(length)))
  expect(cut(16_384, sent, atOnce)).toEqual({ passed: sent, cuts: [0] })
})

test.each([1, 3, 100_000])(
  'cuts a longer packet at the limit, passes the next ones complete, %i bytes at a time',
  (atOnce) => {
    const sent = Buffer.concat([packet(200), packet(201), packet(70_000), packet(5, 0xd0)])
    const passed = Buffer.concat([packet(200), packet(200), packet(200), packet(5, 0xd0)])
    expect(cut(200, sent, atOnce)).toEqual({ passed, cuts: [0, 1, 69_800, 0] })
  },
)

test('passes an invalid length on to the packet reader', () => {
  const sent = Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff])
  expect(cut(200, sent, 1).passed).toEqual(sent)
})
