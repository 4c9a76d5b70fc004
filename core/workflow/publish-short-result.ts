import type { NextStep, PublishStep } from '../../schema/workflow-step.ts'
import type { ProcessingJob } from '../job/job.ts'
import type { Log } from '../log.ts'
import type { SearchRequest } from '../search/search-request.ts'
import type { Footer, ResultFiles } from './ports.ts'
import { type PublishResults, publishJob } from './publish-results.ts'

export interface PublishShortResult extends PublishResults {
  readonly log: Log
}

/**
 * Largest result that is published without a step of its own: start-query has a quarter of the memory and processor of
 * publish-results, because it mostly waits.
 */
export const shortResultLimits = {
  /** Maximum number of files. */
  files: 20,
  /** Maximum bytes that are read to find which values have no row. */
  valueBytes: 4_000_000,
} as const

/**
 * Publishes the result of a query as `publishResults` does, in the step that waited for the query. That saves two state
 * transitions. Publishing is safe to repeat at every point, so after any error the step publish-results does it again.
 *
 * @returns the step after publishing, or `step` itself if publish-results must do it
 */
export async function publishShortResult(
  deps: PublishShortResult,
  job: ProcessingJob,
  request: SearchRequest,
  step: PublishStep,
): Promise<NextStep> {
  try {
    return await publishJob({ ...deps, resultFiles: limitReads(deps.resultFiles) }, job, request, step)
  } catch (error) {
    const cause = error instanceof Error ? error.name : 'unknown'
    deps.log('publishing handed over', { org_id: job.orgId, job_id: job.jobId, cause })
    return step
  }
}

/** The result is too large for the memory of start-query. */
export class NotShort extends Error {
  override readonly name = 'NotShort'
}

/** Returns the result files of one job, which refuse to be read beyond the limits of a short result. */
function limitReads(resultFiles: ResultFiles): ResultFiles {
  const { files, valueBytes } = shortResultLimits
  let remainingBytes = valueBytes
  const limitChunk = (chunk: Footer['chunks'][number]) => ({
    ...chunk,
    read: async () => {
      remainingBytes -= chunk.bytes
      if (remainingBytes < 0) throw new NotShort(`more than ${valueBytes} bytes of values`)
      return chunk.read()
    },
  })
  return {
    ...resultFiles,
    readManifest: async (manifest) => {
      const keys = await resultFiles.readManifest(manifest)
      if (keys.length > files) throw new NotShort(`more than ${files} files`)
      return keys
    },
    readFooter: async (key) => {
      const footer = await resultFiles.readFooter(key)
      return { ...footer, chunks: footer.chunks.map(limitChunk) }
    },
  }
}
