import { resultsPrefix } from '../../schema/workflow-step.ts'
import type { PresentedKey } from '../access/api-key.ts'
import type { CompletedJob } from '../job/job.ts'
import { type NamedShard, nameShards } from '../job/shard-names.ts'
import type { SignedUrls, UrlSigner } from './ports.ts'

/**
 * Signs a URL for each shard of a job. The signing role may read the results of all organizations, so this checks once
 * more that each file is the caller's, by the key that the caller presented and not by what was read for it.
 *
 * @throws ForeignFile
 */
export async function signShards(
  signer: UrlSigner,
  { orgId }: Pick<PresentedKey, 'orgId'>,
  job: Pick<CompletedJob, 'jobId' | 'shards'>,
): Promise<SignedUrls & { readonly shardNames: readonly NamedShard[] }> {
  requireOwnFiles({ orgId }, job)
  const shardNames = nameShards(job)
  return { shardNames, ...(await signer.sign(shardNames)) }
}

/** Checks that each file of a job is the caller's. @throws ForeignFile */
export function requireOwnFiles(
  { orgId }: Pick<PresentedKey, 'orgId'>,
  job: Pick<CompletedJob, 'jobId' | 'shards'>,
): void {
  const prefix = `${resultsPrefix}${orgId}/`
  if (job.shards.some(({ key }) => !key.startsWith(prefix))) throw new ForeignFile(job)
}

/** A job that was read for an organization has a file outside the organization's results. */
export class ForeignFile extends Error {
  override readonly name = 'ForeignFile'
  constructor({ jobId }: Pick<CompletedJob, 'jobId'>) {
    super(`the job ${jobId} has a file of another organization`)
  }
}
