import type { KeyRight } from '../../../../src/client/answers.ts'

export const rightTexts: ReadonlyMap<KeyRight, string> = new Map([
  ['ingest', 'push rows'],
  ['consume', 'read'],
  ['admin', 'operate the service'],
])
