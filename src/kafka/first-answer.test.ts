import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { firstAnswer } from './first-answer.ts'

class Away extends Error {}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const after60Ms = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 60))

const patience = { lateAfterMs: 20, isUnavailable: (error: unknown) => error instanceof Away }

/** Reactions of a broker to a request. */
const doings = {
  answers: () => Promise.resolve('answer'),
  refuses: () => Promise.reject(new TypeError('refused')),
  fails: () => Promise.reject(new Away('away')),
  'is silent': () => new Promise<string>(() => undefined),
  'answers late': () => after60Ms().then(() => 'late answer'),
  'fails late': () => after60Ms().then(() => Promise.reject(new Away('away late'))),
} as const

test.each<{ brokers: (keyof typeof doings)[]; outcome: string; asked: number; late: number[] }>([
  { brokers: ['answers', 'fails'], outcome: 'answer', asked: 1, late: [] },
  { brokers: ['fails', 'fails', 'answers'], outcome: 'answer', asked: 3, late: [] },
  { brokers: ['is silent', 'answers'], outcome: 'answer', asked: 2, late: [0] },
  { brokers: ['is silent', 'is silent', 'fails', 'answers'], outcome: 'answer', asked: 4, late: [0, 1] },
  { brokers: ['is silent', 'refuses', 'answers'], outcome: 'refused', asked: 2, late: [0] },
  { brokers: ['answers late', 'is silent'], outcome: 'late answer', asked: 2, late: [0, 1] },
  { brokers: ['answers late', 'fails'], outcome: 'late answer', asked: 2, late: [0] },
  { brokers: ['fails late', 'fails'], outcome: 'away late', asked: 2, late: [0] },
  { brokers: ['fails', 'fails late'], outcome: 'away late', asked: 2, late: [1] },
])('$brokers: $outcome', async ({ brokers, outcome, asked, late }) => {
  const begun: number[] = []
  const wereLate: number[] = []
  const attempts = brokers.map((doing, index) => ({
    begin: () => {
      begun.push(index)
      return doings[doing]()
    },
    late: () => void wereLate.push(index),
  }))
  const answering = firstAnswer(attempts, patience).catch((error: Error) => error.message)
  await vi.runAllTimersAsync()
  const found = await answering
  expect({ found, begun, wereLate }).toEqual({
    found: outcome,
    begun: Array.from({ length: asked }, (_, index) => index),
    wereLate: late,
  })
})
