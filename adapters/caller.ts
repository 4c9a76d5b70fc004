import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'
import { commandRequests } from './request-limits.ts'
import { requireFields } from './require-fields.ts'

/** An account and region of AWS. */
export interface AwsAccount {
  readonly account: string
  readonly region: string
}

/** The account and region of the SDK's settings. */
export async function readCaller(client = new STSClient(commandRequests)): Promise<AwsAccount> {
  const identity = await client.send(new GetCallerIdentityCommand({}))
  requireFields(identity, ['Account'], 'STS')
  return { account: identity.Account, region: await client.config.region() }
}
