// A member of a group that shares the partitions of a topic. It uses Kafka's classic protocol in its standard formats, so that Kafka's tools can read them.
import { setTimeout as sleep } from 'node:timers/promises'
import { heartbeatV4, joinGroupV9, leaveGroupV5, Reader, syncGroupV5, Writer } from '@platformatic/kafka'
import { assignPartitions } from './assign-partitions.ts'
import type { KafkaClient } from './kafka-client.ts'
import { errorIds, hasErrorId } from './kafka-errors.ts'

interface GroupOptions {
  readonly group: string
  readonly topic: string
  /** A member that sends no heartbeat for this long has lost its partitions. */
  readonly sessionTimeoutMs: number
  readonly heartbeatMs: number
  /** How long the other members have to rejoin when one joins or leaves. */
  readonly rebalanceTimeoutMs: number
  /** Called with the member's partitions whenever they change. */
  readonly assigned: (partitions: readonly number[]) => void
}

const protocolType = 'consumer'
const protocolName = 'tidemark'
const formatVersion = 0
const forgotten: ReadonlySet<string> = new Set(['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION', 'FENCED_INSTANCE_ID'])
const retryMs = 500

export class GroupMember {
  readonly #client: KafkaClient
  readonly #options: GroupOptions
  #memberId = ''
  #generation = -1
  #partitions: readonly number[] = []

  /** The member uses its own client: a broker delays its response to a JoinGroup request, and handles nothing else on the connection meanwhile. */
  constructor(client: KafkaClient, options: GroupOptions) {
    this.#client = client.sibling({ timeoutMs: client.timeoutMs + options.rebalanceTimeoutMs })
    this.#options = options
  }

  /** Resolves when the signal is aborted and the member has left the group. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#join()
        await this.#stay(signal)
      } catch (error) {
        if (hasErrorId(error, forgotten)) this.#forget()
        this.#client.forget()
        if (!errorIds(error).includes('REBALANCE_IN_PROGRESS')) await pause(retryMs, signal)
      }
    }
    this.#assign([])
    await this.#leave().catch(() => {})
    this.#client.close()
  }

  /** Sends heartbeats until the group rebalances. */
  async #stay(signal: AbortSignal): Promise<void> {
    const { group, heartbeatMs, sessionTimeoutMs } = this.#options
    for (let lastAnswerMs = performance.now(); !signal.aborted; ) {
      await pause(heartbeatMs, signal)
      try {
        const coordinator = await this.#client.coordinatorOf('group', group)
        await this.#client.ask(coordinator, heartbeatV4.api, group, this.#generation, this.#memberId)
        lastAnswerMs = performance.now()
      } catch (error) {
        // Kafka may be unavailable for a moment; ownership does not change until the session has expired.
        if (errorIds(error).length > 0 && !isMoved(error)) throw error
        this.#client.forget()
        if (performance.now() - lastAnswerMs > sessionTimeoutMs) throw error
      }
    }
  }

  async #join(): Promise<void> {
    const { group, topic, sessionTimeoutMs, rebalanceTimeoutMs } = this.#options
    const client = this.#client
    const coordinator = await client.coordinatorOf('group', group)
    const protocols = [{ name: protocolName, metadata: encodeSubscription(topic, this.#partitions) }]
    const times = [sessionTimeoutMs, rebalanceTimeoutMs] as const
    let joined: Awaited<ReturnType<typeof joinGroupV9.api.async>>
    try {
      joined = await client.ask(
        coordinator,
        joinGroupV9.api,
        group,
        ...times,
        this.#memberId,
        null,
        protocolType,
        protocols,
      )
    } catch (error) {
      const given = givenMemberId(error)
      if (given === null) throw error
      // Kafka first assigns an id to a new member, which joins with it.
      this.#memberId = given
      return this.#join()
    }
    this.#memberId = joined.memberId ?? ''
    this.#generation = joined.generationId
    const isLeader = joined.leader === this.#memberId
    const assignments = isLeader ? await this.#assignPartitions(joined.members) : []
    const place = [group, this.#generation, this.#memberId, null, protocolType, protocolName] as const
    const { assignment } = await client.ask(coordinator, syncGroupV5.api, ...place, assignments)
    this.#assign(decodePartitions(assignment))
  }

  async #assignPartitions(members: readonly { readonly memberId: string; readonly metadata: Buffer | null }[]) {
    const { topic } = this.#options
    const partitions = (await this.#client.leadersOf(topic)).length
    const owners = members.map(({ memberId, metadata }) => ({ memberId, owned: decodeOwned(metadata) }))
    return [...assignPartitions(owners, partitions)].map(([memberId, own]) => ({
      memberId,
      assignment: encodeAssignment(topic, own),
    }))
  }

  async #leave(): Promise<void> {
    if (this.#memberId === '') return
    const { group } = this.#options
    const coordinator = await this.#client.coordinatorOf('group', group)
    await this.#client.ask(coordinator, leaveGroupV5.api, group, [{ memberId: this.#memberId }])
  }

  #forget(): void {
    this.#memberId = ''
    this.#assign([])
  }

  #assign(partitions: readonly number[]): void {
    this.#partitions = partitions
    this.#options.assigned(partitions)
  }
}

function isMoved(error: unknown): boolean {
  return hasErrorId(error, new Set(['NOT_COORDINATOR', 'COORDINATOR_NOT_AVAILABLE', 'COORDINATOR_LOAD_IN_PROGRESS']))
}

function givenMemberId(error: unknown): string | null {
  if (!errorIds(error).includes('MEMBER_ID_REQUIRED') || !(error instanceof Error)) return null
  const response: unknown = Reflect.get(error, 'response')
  const id: unknown = typeof response === 'object' && response !== null ? Reflect.get(response, 'memberId') : null
  return typeof id === 'string' && id !== '' ? id : null
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {})
}

/** ConsumerProtocolSubscription. The user data are the partitions that the member owns. */
function encodeSubscription(topic: string, owned: readonly number[]): Buffer {
  return Writer.create()
    .appendInt16(formatVersion)
    .appendArray([topic], (writer, name) => void writer.appendString(name, false), false, false)
    .appendBytes(Buffer.from(owned), false).buffer
}

function decodeOwned(metadata: Buffer | null): readonly number[] {
  if (metadata === null || metadata.length === 0) return []
  const reader = Reader.from(metadata)
  reader.readInt16()
  reader.readArray((part) => part.readString(false), false, false)
  return [...(reader.readNullableBytes(false) ?? [])]
}

/** ConsumerProtocolAssignment. */
function encodeAssignment(topic: string, partitions: readonly number[]): Buffer {
  return Writer.create()
    .appendInt16(formatVersion)
    .appendArray(
      [topic],
      (writer, name) =>
        void writer
          .appendString(name, false)
          .appendArray([...partitions], (part, one) => void part.appendInt32(one), false, false),
      false,
      false,
    )
    .appendBytes(null, false).buffer
}

function decodePartitions(assignment: Buffer): readonly number[] {
  if (assignment.length === 0) return []
  const reader = Reader.from(assignment)
  reader.readInt16()
  return reader
    .readArray(
      (part) => {
        part.readString(false)
        return part.readArray((one) => one.readInt32(), false, false)
      },
      false,
      false,
    )
    .flat()
}
