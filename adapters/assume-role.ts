import { AssumeRoleCommand, type AssumeRoleCommandInput, type STSClient } from '@aws-sdk/client-sts'

/**
 * Assumes a role.
 *
 * @returns credentials for clients of the SDK, and when they end
 * @throws TypeError if STS answers without credentials, and whatever the SDK throws if STS refuses
 */
export async function assumeRole(sts: STSClient, input: AssumeRoleCommandInput) {
  const { Credentials } = await sts.send(new AssumeRoleCommand(input))
  const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = Credentials ?? {}
  if (!AccessKeyId || !SecretAccessKey || !SessionToken || !Expiration) throw new TypeError('STS gave no credentials')
  return {
    credentials: { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken },
    expiration: Expiration,
  }
}
