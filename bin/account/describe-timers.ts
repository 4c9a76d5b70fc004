import type { StackResource } from '../../adapters/cloudformation/cfn-stack-resources.ts'
import { createEventRules } from '../../adapters/eventbridge-rules.ts'
import { CommandFailed } from '../../client/command-line/command-errors.ts'
import { countOf } from '../../schema/phrases.ts'

/**
 * Describes the rules that call the functions of a stage, by the clock or for events.
 *
 * @returns a line, or a line for each disabled rule with the command that enables it
 * @throws CommandFailed if the stack has none
 */
export async function describeTimers(stack: string, resources: readonly StackResource[]) {
  const names = resources.flatMap(({ type, physicalId }) => (type === 'AWS::Events::Rule' ? [physicalId] : []))
  if (names.length === 0) throw new CommandFailed(`the stack ${stack} has no rules`)
  const rules = createEventRules()
  const disabled = (await Promise.all(names.map(rules.read))).filter(({ isEnabled }) => !isEnabled)
  if (disabled.length === 0) return { lines: `${countOf(names.length, 'rule')} enabled`, isWrong: false }
  return { lines: disabled.map(({ name }) => `disabled: aws events enable-rule --name ${name}`), isWrong: true }
}
