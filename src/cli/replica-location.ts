import type { CliContext } from './context.ts'

/** Where a replica in S3 is, beside its address. */
export interface PlaceOptions {
  readonly endpoint?: string | undefined
  readonly region?: string | undefined
}

export const endpointOption = [
  '--endpoint <url>',
  "S3 replica only: the store's address (TIDEMARK_REPLICA_ENDPOINT; default Amazon's)",
] as const
export const regionOption = [
  '--region <name>',
  "S3 replica only: the bucket's region (TIDEMARK_REPLICA_REGION, AWS_REGION)",
] as const

/** As the service's settings `replica.endpoint` and `replica.region` say where no option does. */
export function replicaLocation(url: string, { endpoint, region }: PlaceOptions, { environment }: CliContext) {
  return {
    url,
    endpoint: endpoint ?? environment['TIDEMARK_REPLICA_ENDPOINT'] ?? '',
    region: region ?? environment['TIDEMARK_REPLICA_REGION'] ?? '',
  }
}
