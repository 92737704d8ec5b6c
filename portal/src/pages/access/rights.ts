import type { KeyRight } from '../../../../src/client/answers.ts'

export const rightTexts: ReadonlyMap<KeyRight, string> = new Map([
  ['ingest', 'push rows'],
  ['consume', 'read'],
  ['correct', 'delete rows that it may read'],
  ['observe', 'watch the service, without rows'],
  ['admin', 'operate the service'],
])
