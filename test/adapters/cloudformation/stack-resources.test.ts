import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { expect, it } from 'vitest'
import { listStackResources } from '../../../adapters/cloudformation/cfn-stack-resources.ts'
import { startCloudFormation } from '../../doubles/deployed-stacks.ts'
import { sdkSettings } from '../../endpoints/sdk-settings.ts'

const log = { type: 'AWS::Logs::LogGroup', logicalId: 'StartQueryLogs01234567', physicalId: 'logs-1' }
const queue = { type: 'AWS::SQS::Queue', logicalId: 'DeadLetters01234567', physicalId: 'https://sqs.example/1/lost' }

it('lists the resources of a stack on all its pages, without resources that have no name yet', async () => {
  const unmade = { type: 'AWS::SQS::Queue', logicalId: 'Unmade01234567', physicalId: '' }
  await using cloudFormation = await startCloudFormation({ 'SearchService-dev': { resources: [log, unmade, queue] } })
  const client = new CloudFormationClient(sdkSettings(cloudFormation.url))
  expect(await listStackResources('SearchService-dev', client)).toEqual([log, queue])
  expect(cloudFormation.calls).toHaveLength(2)
})
