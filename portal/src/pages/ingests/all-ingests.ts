import type { IngestAnswer } from '../../../../src/client/answers.ts'
import type { TidemarkClient } from '../../../../src/client/client.ts'

/** Reads all ingests: an operator has hundreds at most. */
export async function allIngests(client: TidemarkClient): Promise<readonly IngestAnswer[]> {
  const found: IngestAnswer[] = []
  for (let token: string | null | undefined; token !== null; ) {
    const page = await client.ingests({ limit: 1000, ...(token && { token }) })
    found.push(...page.Items)
    token = page.NextToken
  }
  return found
}
