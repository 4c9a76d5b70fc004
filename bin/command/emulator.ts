import { createS3Objects } from '../../adapters/s3/s3-objects.ts'
import { requireStage } from '../../lib/stage/stage-files.ts'
import { UsageError } from './errors.ts'

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
  await objects.createBucket(requireStage(emulatorStageName).warehouse?.queryResults.split('/')[2] ?? '')
  objects.close()
}
