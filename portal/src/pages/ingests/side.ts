import type { IngestAnswer } from '../../../../src/client/answers.ts'

export type ShownIngest = IngestAnswer
