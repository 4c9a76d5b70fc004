import type { DeployedStack } from '../../adapters/cloudformation/cfn-deployed-stacks.ts'
import { createStackChanges, type StackEvent } from '../../adapters/cloudformation/cfn-stack-changes.ts'
import { CommandFailed, Interrupted } from '../../client/command-line/command-errors.ts'
import { withoutHash } from '../../lib/protections/stage-template.ts'
import { findStacks, isFormerStack } from './deployment.ts'
import { describeNext, judgeStack } from './stack-states.ts'

/** Prints stacks that are not complete, with the commands that are safe to run next. */
export function showNext(stacks: readonly DeployedStack[], option: string): void {
  for (const line of describeNext(stacks, option)) process.stderr.write(`${line}\n`)
}

/**
 * Fails if the stack of a stage is in a state from which it cannot be deployed, after printing the commands that are
 * safe to run next.
 *
 * @param stacks of the stage; that of an earlier version for the warehouse is not deployed, so that its state is no
 *   obstacle
 * @param option names the stage to `deploy`
 * @param mayRemove a failed creation is removed first
 * @param cdkOptions of `cdk deploy`
 * @throws CommandFailed
 */
export function requireDeployable(
  stacks: readonly DeployedStack[],
  option: string,
  mayRemove: boolean,
  cdkOptions: readonly string[],
): void {
  const isWithoutRollback = cdkOptions.some((each) => /^(-R|--no-rollback|--rollback=false)$/.test(each))
  const blocking = stacks.filter((stack) => {
    if (isFormerStack(stack)) return false
    const { condition } = judgeStack(stack)
    // The CDK continues what it has begun without rollback.
    if (isWithoutRollback && /^(CREATE|UPDATE)_FAILED$/.test(stack.status)) return false
    // The CDK deletes a stack that was rolled back, unless it is protected.
    if (condition === 'never created') return !mayRemove && (stack.isProtected || stack.status === 'CREATE_FAILED')
    return condition === 'at work' || condition === 'stuck'
  })
  if (blocking.length === 0) return
  showNext(blocking, option)
  const names = blocking.map(({ name }) => name).join(' and ')
  throw new CommandFailed(`nothing was deployed, because of the state of ${names}: see the commands above`)
}

/**
 * Fails if another deploy has begun since the stack was read: what was compared is then not what is deployed. The CDK
 * would wait for the other deploy, and overwrite it.
 *
 * @param stacks of the stage, as they were compared
 * @throws CommandFailed
 */
export async function requireUnchanged(stage: string, stacks: readonly DeployedStack[], option: string): Promise<void> {
  const describe = (found: readonly DeployedStack[]) =>
    found
      .filter((stack) => !isFormerStack(stack))
      .map(({ id, status, updatedAt }) => `${id} ${status} ${updatedAt?.toISOString()}`)
      .join()
  const current = await findStacks(stage)
  if (describe(current) === describe(stacks)) return
  showNext(current, option)
  throw new CommandFailed(
    `nothing was deployed, because another deploy of the stage ${stage} has begun meanwhile: run this one again after it`,
  )
}

/**
 * Fails if the first deploy of a protected stage has failed: the CDK would try to delete its stack, which
 * CloudFormation refuses.
 *
 * @throws CommandFailed with the commands that are safe to run next
 */
export function refuseFailedCreation(stacks: readonly DeployedStack[], option: string): void {
  const failed = stacks.filter((stack) => stack.isProtected && judgeStack(stack).condition === 'never created')
  if (failed.length > 0)
    throw new CommandFailed(
      `nothing was deployed, because of a failed creation:\n${describeNext(failed, option).join('\n')}`,
    )
}

/**
 * Explains the end of a CDK command that has failed or was stopped: prints the stacks that are not as a successful
 * deploy leaves them, with the commands that are safe to run next.
 *
 * @returns the error to throw
 */
export async function explainEnd(error: unknown, stage: string, option: string): Promise<unknown> {
  if (!(error instanceof CommandFailed)) return error
  const stacks = await findStacks(stage).catch(() => undefined)
  const service = stacks?.find((stack) => !isFormerStack(stack))
  const cause = service && !(error instanceof Interrupted) ? await findFirstFailure(service) : undefined
  if (cause !== undefined) process.stderr.write(`The first failure: ${cause}\n`)
  if (stacks === undefined)
    return new CommandFailed(`${error.message}; CloudFormation may go on: npm run status -- --stage ${stage}`)
  const notable = stacks.filter((stack) => judgeStack(stack).meaning !== 'deployed')
  showNext(notable, option)
  if (!(error instanceof Interrupted)) return error
  const isAtWork = stacks.some((stack) => judgeStack(stack).condition === 'at work')
  return new CommandFailed(
    isAtWork
      ? `${error.message}, but CloudFormation continues what it has begun: see the commands above`
      : `${error.message}, and CloudFormation is changing nothing`,
  )
}

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
async function findFirstFailure({ id }: Pick<DeployedStack, 'id'>): Promise<string | undefined> {
  const events = await createStackChanges()
    .listEvents(id)
    .catch(() => [])
  return describeFirstFailure(events)
}
