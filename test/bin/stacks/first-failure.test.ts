import { describe, expect, it } from 'vitest'
import type { StackEvent } from '../../../adapters/cloudformation/cfn-stack-changes.ts'
import { describeFirstFailure } from '../../../bin/stacks/require-deployable.ts'

const ofStack = (status: string): StackEvent => ({
  logicalId: 'SearchService-dev',
  physicalId: 'arn',
  type: 'AWS::CloudFormation::Stack',
  status,
})

const ofTable = (logicalId: string, status: string, reason?: string): StackEvent => ({
  ...{ logicalId, physicalId: '', type: 'AWS::DynamoDB::GlobalTable', status },
  ...(reason !== undefined && { reason }),
})

describe('the first failure of a deploy', () => {
  it('names the first resource that failed in the latest change, not one that was cancelled because of it', () => {
    const events = [
      ofStack('CREATE_IN_PROGRESS'),
      ofTable('TablesJobs11BCABFD', 'CREATE_FAILED', 'of an earlier deploy'),
      ofStack('UPDATE_IN_PROGRESS'),
      ofTable('TablesAccessFC9D8B84', 'UPDATE_FAILED', 'Resource update cancelled'),
      ofTable('TablesJobs11BCABFD', 'UPDATE_FAILED', 'Subscriber limit exceeded'),
      ofTable('TablesWebhooksFC9D8B84', 'UPDATE_FAILED', 'Internal failure'),
      ofStack('UPDATE_ROLLBACK_IN_PROGRESS'),
    ]
    expect(describeFirstFailure(events)).toBe(
      'TablesJobs (AWS::DynamoDB::GlobalTable) UPDATE_FAILED: Subscriber limit exceeded',
    )
  })

  it('does not exist if the latest change failed in no resource', () => {
    expect(
      describeFirstFailure([ofTable('TablesJobs11BCABFD', 'CREATE_FAILED'), ofStack('UPDATE_IN_PROGRESS')]),
    ).toBeUndefined()
  })
})
