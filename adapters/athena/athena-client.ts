import { AthenaClient } from '@aws-sdk/client-athena'
import { STSClient } from '@aws-sdk/client-sts'
import { PrintableError } from '../../schema/printable-error.ts'
import { assumeRole } from '../assume-role.ts'
import { commandRequests } from '../request-limits.ts'

/**
 * Connects to Athena as a role, so that Athena reads with the role's permissions. The credentials last one hour.
 *
 * @throws PrintableError if STS refuses
 */
export async function connectAthenaAs(roleArn: string, sts = new STSClient(commandRequests)): Promise<AthenaClient> {
  const role = { RoleArn: roleArn, RoleSessionName: 'check-warehouse' }
  const { credentials } = await assumeRole(sts, role).catch((cause: unknown) => {
    throw new PrintableError(`you cannot act as ${roleArn}: your own identity needs sts:AssumeRole on it`, { cause })
  })
  return new AthenaClient({ ...commandRequests, credentials })
}
