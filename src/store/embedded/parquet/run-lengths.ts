// Parquet's hybrid of runs and bit-packed groups of eight: dictionary codes, booleans and definition levels.
import { packBits, unpackBits } from './bit-packing.ts'
import type { ByteWriter } from './byte-writer.ts'
import type { PageInput } from './page-input.ts'

/** Shorter runs are cheaper to read packed. */
const runLengthMin = 16

/** Writes the numbers from `start` up to `end`, all of at most `width` bits. */
export function writeRuns(values: Int32Array, start: number, end: number, width: number, out: ByteWriter): void {
  let packedFrom = start
  for (let index = start; index < end; ) {
    const value = values[index]
    let runEnd = index + 1
    while (runEnd < end && values[runEnd] === value) runEnd++
    // Packed numbers come in groups of eight: the first values of the run complete the last group.
    const runStart = index + ((8 - ((index - packedFrom) % 8)) % 8)
    if (runEnd - runStart >= runLengthMin) {
      writePacked(values, packedFrom, runStart, width, out)
      writeRun(value, runEnd - runStart, width, out)
      packedFrom = runEnd
    }
    index = runEnd
  }
  writePacked(values, packedFrom, end, width, out)
}

function writePacked(values: Int32Array, start: number, end: number, width: number, out: ByteWriter): void {
  if (start === end) return
  out.varint(Math.ceil((end - start) / 8) * 2 + 1)
  packBits(values, start, end - start, width, out)
}

function writeRun(value: number, length: number, width: number, out: ByteWriter): void {
  out.varint(length * 2)
  for (let shift = 0; shift < width; shift += 8) out.byte((value >>> shift) & 0xff)
}

/** Reads `count` numbers into the start of `out`. */
export function readRuns(input: PageInput, width: number, count: number, out: Int32Array): void {
  for (let done = 0; done < count; ) {
    const header = input.varint()
    if (header % 2 === 0) {
      let value = 0
      for (let shift = 0; shift < width; shift += 8) value |= input.byte() << shift
      out.fill(value, done, done + header / 2)
      done += header / 2
    } else {
      const groups = (header - 1) / 2
      const after = input.position + groups * width
      const taken = Math.min(groups * 8, count - done)
      unpackBits(input, width, taken, out, done)
      input.position = after
      done += taken
    }
  }
}
