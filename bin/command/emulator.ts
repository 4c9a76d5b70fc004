import { createS3Objects } from '../../adapters/s3/s3-objects.ts'
import { UsageError } from '../../client/command-line/command-errors.ts'
import { requireStage } from '../../lib/stage/stage-files.ts'
import { bucketOf } from './installation.ts'

/**
 * Returns the location of query results that the stage file of an emulated stage names.
 *
 * @returns `s3://bucket/prefix/`
 */
export function requireQueryResults(stage: string): string {
  const { warehouse } = requireStage(stage)
  if (warehouse === undefined) throw new TypeError(`the stage ${stage} names no warehouse`)
  return warehouse.queryResults
}

/** The stage that is deployed to an emulator of AWS, which has no Athena. */
export const emulatorStageName = 'emulator'

/**
 * The CDK options that point the emulator's stage to the local Athena, and its SDK clients to the emulator.
 *
 * @param athena address of the local Athena
 * @throws UsageError if an address is missing
 */
export function readEmulatorContext(athena: string | undefined): readonly string[] {
  const endpoint = process.env['AWS_ENDPOINT_URL']
  if (!endpoint)
    throw new UsageError('the stage emulator is for an emulator of AWS: set AWS_ENDPOINT_URL to its address')
  if (athena === undefined)
    throw new UsageError(
      'the stage emulator needs --athena <url>, since emulators have no Athena: start one with "npm run athena"',
    )
  const { pathname } = new URL(requireStage(emulatorStageName).publicBaseUrl.replaceAll('{', '%7B'))
  const publicBaseUrl = endpoint.replace(/\/+$/, '') + decodeURIComponent(pathname)
  return ['-c', `athenaEndpoint=${athena}`, '-c', `publicBaseUrl=${publicBaseUrl}`]
}

/** Creates the bucket for query results, which exists already in an account with a warehouse. */
export async function createQueryResults(): Promise<void> {
  const objects = createS3Objects()
  await objects.createBucket(bucketOf(requireQueryResults(emulatorStageName)))
  objects.close()
}
