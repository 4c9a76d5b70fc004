import type { DeployedStack } from '../../adapters/cloudformation/cfn-deployed-stacks.ts'
import { createStackChanges, type StackEvent } from '../../adapters/cloudformation/cfn-stack-changes.ts'
import { withoutHash } from '../../lib/protections/stage-template.ts'

/**
 * Describes the first resource that failed in the latest change of a stack, which is the cause of what failed or was
 * cancelled after it.
 *
 * @param events of the stack, the oldest first
 * @returns undefined if no resource has failed
 */
export function describeFirstFailure(events: readonly StackEvent[]): string | undefined {
  const isStart = ({ type, status }: StackEvent) =>
    type === 'AWS::CloudFormation::Stack' && /^(CREATE|UPDATE|DELETE|REVIEW)_IN_PROGRESS$/.test(status)
  const latest = events.slice(events.findLastIndex(isStart) + 1)
  const failure = latest.find(
    ({ type, status, reason = '' }) =>
      type !== 'AWS::CloudFormation::Stack' && status.endsWith('_FAILED') && !/cancelled/i.test(reason),
  )
  if (failure === undefined) return undefined
  return `${withoutHash(failure.logicalId)} (${failure.type}) ${failure.status}: ${failure.reason ?? 'no reason given'}`
}

/** Finds the first failure in the latest change of a stack; undefined if its events cannot be read or have none. */
export async function findFirstFailure({ id }: Pick<DeployedStack, 'id'>): Promise<string | undefined> {
  const events = await createStackChanges()
    .listEvents(id)
    .catch(() => [])
  return describeFirstFailure(events)
}
