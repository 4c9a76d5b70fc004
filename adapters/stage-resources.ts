import { AthenaClient, GetWorkGroupCommand } from '@aws-sdk/client-athena'
import { BatchClient, DescribeJobQueuesCommand } from '@aws-sdk/client-batch'
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda'
import { HeadBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { DescribeStateMachineCommand, SFNClient } from '@aws-sdk/client-sfn'
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs'
import { commandRequests } from './request-limits.ts'

/** The state of a resource: usable; `gone`, although its stack has it; or switched off, in words. */
export type ResourceState = 'usable' | 'gone' | { readonly fault: string }

/** Errors that say that a resource does not exist. Athena's is about any wrong request, and says which in its text. */
const goneErrors =
  /^(ResourceNotFoundException|StateMachineDoesNotExist|NotFound|NoSuchBucket|QueueDoesNotExist|.*NonExistentQueue)$/

/**
 * Looks at resources by their types in CloudFormation and their names, in the account and region of the SDK's defaults.
 * A stack remains complete when somebody deletes what it has made.
 */
export function createStageResources() {
  const state = (isUsable: boolean, fault: string): ResourceState => (isUsable ? 'usable' : { fault })
  const looks: Readonly<Record<string, (id: string) => Promise<ResourceState>>> = {
    'AWS::StepFunctions::StateMachine': async (stateMachineArn) => {
      const { status } = await new SFNClient(commandRequests).send(new DescribeStateMachineCommand({ stateMachineArn }))
      return state(status === 'ACTIVE', `is ${status}`)
    },
    'AWS::Lambda::Function': async (FunctionName) => {
      const command = new GetFunctionConfigurationCommand({ FunctionName })
      const { State } = await new LambdaClient(commandRequests).send(command)
      return state(State !== 'Failed', 'is Failed')
    },
    'AWS::DynamoDB::Table': async (TableName) => {
      const { Table } = await new DynamoDBClient(commandRequests).send(new DescribeTableCommand({ TableName }))
      return state(/^(ACTIVE|UPDATING)$/.test(Table?.TableStatus ?? ''), `is ${Table?.TableStatus}`)
    },
    'AWS::S3::Bucket': async (Bucket) => {
      await new S3Client(commandRequests).send(new HeadBucketCommand({ Bucket }))
      return 'usable'
    },
    'AWS::SQS::Queue': async (QueueUrl) => {
      const client = new SQSClient({ ...commandRequests, useQueueUrlAsEndpoint: false })
      await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }))
      return 'usable'
    },
    'AWS::Athena::WorkGroup': async (name) => {
      const { WorkGroup } = await new AthenaClient(commandRequests).send(new GetWorkGroupCommand({ WorkGroup: name }))
      return state(WorkGroup?.State !== 'DISABLED', 'is DISABLED')
    },
    'AWS::Batch::JobQueue': async (name) => {
      const command = new DescribeJobQueuesCommand({ jobQueues: [name] })
      const { jobQueues: [queue] = [] } = await new BatchClient(commandRequests).send(command)
      if (queue === undefined) return 'gone'
      return state(queue.state === 'ENABLED' && queue.status === 'VALID', `is ${queue.state} and ${queue.status}`)
    },
  }
  return {
    types: Object.keys(looks),
    /** @throws whatever the SDK throws, except that the resource does not exist */
    look: async (type: string, id: string): Promise<ResourceState> => {
      const look = looks[type.replace('GlobalTable', 'Table')]
      if (look === undefined) throw new TypeError(`${type} is not looked at`)
      try {
        return await look(id)
      } catch (error) {
        if (!(error instanceof Error)) throw error
        const isUnknownWorkGroup = error.name === 'InvalidRequestException' && /not found/i.test(error.message)
        if (goneErrors.test(error.name) || isUnknownWorkGroup) return 'gone'
        throw error
      }
    },
  }
}
