// What the store's thread and a query thread say to each other.
import type { ZoneFiles } from '../druid-time/zone-rules.ts'
import type { EntityChange } from '../store/embedded/mirror/sealed-mirror.ts'
import type { SealedFileInfo } from '../store/embedded/reading/sealed-source.ts'
import type { PlanAsk, PlanReply } from '../store-thread/plan-answers.ts'
import type { FromStore } from '../store-thread/protocol.ts'

/** What the thread is started with. */
export interface QueryThreadData {
  /** Of the sealed files. */
  readonly storeDirectory: string
  readonly spoolDirectory: string
  /** What its caches take together: decoded pages and indexes. */
  readonly cacheBytes: number
  readonly timeZones: ZoneFiles | null
}

export type ToQueryThread =
  /** What is asked after it is answered with these files. The first such message says all there are. */
  | { readonly kind: 'changed'; readonly entities: readonly EntityChange[] }
  | { readonly kind: 'dropped'; readonly entityId: number }
  | PlanAsk
  | { readonly kind: 'cancel'; readonly id: number }
  /** The memory of an answer that was sent, to be written again. */
  | { readonly kind: 'spare'; readonly memory: readonly ArrayBuffer[] }
  | { readonly kind: 'close' }

/** What becomes of a question. */
export type QueryReply = PlanReply | Extract<FromStore, { kind: 'failed' }>

export type FromQueryThread =
  | { readonly kind: 'ready' }
  /** A removed file is not read any more. */
  | { readonly kind: 'gone'; readonly info: SealedFileInfo }
  | QueryReply
  | Extract<FromStore, { kind: 'event' }>
