import { createS3Objects } from '../adapters/s3-objects.ts'
import { defaultEmulatorUrl, stages } from '../lib/stage.ts'
import { UsageError } from './command/errors.ts'

/** The stage that is deployed to an emulator of AWS, which has no Athena. */
export const emulatorStage = stages.emulator

/**
 * The options of the CDK's command that lead the emulator's stage to the local Athena, and its clients to the emulator.
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
  const publicBaseUrl = emulatorStage.publicBaseUrl.replace(defaultEmulatorUrl, endpoint.replace(/\/+$/, ''))
  return ['-c', `athenaEndpoint=${athena}`, '-c', `publicBaseUrl=${publicBaseUrl}`]
}

/** Makes the bucket of query results, which a warehouse of AWS would have. */
export async function createQueryResults(): Promise<void> {
  const objects = createS3Objects()
  await objects.createBucket(emulatorStage.warehouse.queryResults.split('/')[2] ?? '')
  objects.close()
}
