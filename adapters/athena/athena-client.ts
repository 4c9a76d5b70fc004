import { AthenaClient } from '@aws-sdk/client-athena'
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts'
import { PrintableError } from '../../schema/printable-error.ts'

/**
 * Connects to Athena as a role, so that Athena reads with the role's permissions. The credentials last one hour.
 *
 * @throws RoleNotAssumed if STS refuses
 */
export async function connectAthenaAs(roleArn: string, sts = new STSClient({})): Promise<AthenaClient> {
  const command = new AssumeRoleCommand({ RoleArn: roleArn, RoleSessionName: 'check-warehouse' })
  const { Credentials } = await sts.send(command).catch((error: unknown) => {
    throw new RoleNotAssumed(roleArn, error)
  })
  const { AccessKeyId, SecretAccessKey, SessionToken } = Credentials ?? {}
  if (!AccessKeyId || !SecretAccessKey || !SessionToken) throw new RoleNotAssumed(roleArn, 'no credentials')
  const credentials = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken }
  return new AthenaClient({ credentials })
}

/** STS refused to let the caller assume the role; the message names the missing permission. */
export class RoleNotAssumed extends PrintableError {
  override readonly name = 'RoleNotAssumed'
  constructor(roleArn: string, cause: unknown) {
    super(`you cannot act as ${roleArn}: your own identity needs sts:AssumeRole on it`, { cause })
  }
}
