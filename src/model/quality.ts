// The quality of a value, from the field of role `quality` in its row: numbers in the field's coding, words, or such numbers as text.
import type { Value } from './column.ts'

export const qualityWords = ['good', 'uncertain', 'bad'] as const
export type QualityWord = (typeof qualityWords)[number]

/** Coding of quality numbers: the 8 bits of OPC Classic, also used by Sparkplug, or the 32 bits of OPC UA. */
export const qualityCodings = ['opcda', 'opcua'] as const
export type QualityCoding = (typeof qualityCodings)[number]

export const defaultCoding: QualityCoding = 'opcda'

export interface NumberRange {
  readonly from: number
  readonly to: number
}

/** Inclusive ranges of good and uncertain numbers, determined by the two highest bits. All other numbers are bad. */
export const qualityRanges: Readonly<Record<QualityCoding, Readonly<Record<'good' | 'uncertain', NumberRange>>>> = {
  opcda: { good: { from: 192, to: 255 }, uncertain: { from: 64, to: 127 } },
  opcua: { good: { from: 0, to: 2 ** 30 - 1 }, uncertain: { from: 2 ** 30, to: 2 ** 31 - 1 } },
}

/** The number stored for a word: the plain number of its class. */
const plainNumbers: Readonly<Record<QualityCoding, Readonly<Record<QualityWord, number>>>> = {
  opcda: { good: 192, uncertain: 64, bad: 0 },
  opcua: { good: 0, uncertain: 0x4000_0000, bad: 0x8000_0000 },
}

export const qualityNumber = (word: QualityWord, coding: QualityCoding): number => plainNumbers[coding][word]

/** A number as text: digits, or 0x and 8 hexadecimal digits. */
const numberText = /^(?:[0-9]+|0x[0-9a-f]{8})$/i

interface Coded {
  readonly coding?: QualityCoding
}

export const codingOf = ({ coding }: Coded): QualityCoding => coding ?? defaultCoding

/** The quality that a value of the field denotes; null is good. */
export function qualityOf(value: Value, coding: QualityCoding): QualityWord {
  if (value === null) return 'good'
  if (typeof value !== 'string') return ofNumber(Number(value), coding)
  const lower = value.toLowerCase()
  const word = qualityWords.find((one) => one === lower)
  return word ?? (numberText.test(value) ? ofNumber(Number(value), coding) : 'bad')
}

function ofNumber(number: number, coding: QualityCoding): QualityWord {
  const { good, uncertain } = qualityRanges[coding]
  return isWithin(number, good) ? 'good' : isWithin(number, uncertain) ? 'uncertain' : 'bad'
}

export const passesQuality = (
  value: Value,
  { field, words }: { readonly field: Coded; readonly words: readonly QualityWord[] },
): boolean => words.includes(qualityOf(value, codingOf(field)))

const isWithin = (number: number, { from, to }: NumberRange): boolean => number >= from && number <= to
