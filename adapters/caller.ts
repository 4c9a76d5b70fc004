import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'
import { commandRequests } from './request-limits.ts'

/** An account and region of AWS. */
export interface AwsPlace {
  readonly account: string
  readonly region: string
}

/** The account and region of the SDK's settings. */
export async function readCaller(client = new STSClient(commandRequests)): Promise<AwsPlace> {
  const { Account = '' } = await client.send(new GetCallerIdentityCommand({}))
  return { account: Account, region: await client.config.region() }
}
