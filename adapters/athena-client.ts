import { AthenaClient } from '@aws-sdk/client-athena'
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts'

/**
 * Connects to Athena as a role, for an hour: Athena then reads with the permissions of that role.
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

/** STS did not let the caller act as a role; the message says what permission it takes. */
export class RoleNotAssumed extends Error {
  override readonly name = 'RoleNotAssumed'
  constructor(roleArn: string, cause: unknown) {
    super(`you cannot act as ${roleArn}: your own identity needs sts:AssumeRole on it`, { cause })
  }
}
