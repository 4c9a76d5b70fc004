import * as v from 'valibot'
import { countOf } from '../../schema/phrases.ts'
import type { StageTemplate } from './stage-template.ts'

const oneOrMore = v.union([
  v.array(v.unknown()),
  v.pipe(
    v.unknown(),
    v.transform((value) => [value]),
  ),
])

const statementSchema = v.object({
  Effect: v.optional(v.string(), 'Allow'),
  Action: v.optional(oneOrMore, []),
  NotAction: v.exactOptional(v.unknown()),
  Resource: v.optional(oneOrMore, []),
  NotResource: v.exactOptional(v.unknown()),
})

const policySchema = v.object({ PolicyDocument: v.object({ Statement: v.array(statementSchema) }) })
const roleSchema = v.object({
  Policies: v.optional(v.array(policySchema), []),
  ManagedPolicyArns: v.optional(v.array(v.unknown()), []),
})

type Statement = v.InferOutput<typeof statementSchema>

/**
 * Summarizes the rights that a first deploy creates, in four lines. The CDK's table of them has some 300, so that
 * nobody finds the wide ones. Policies of resources, such as those of buckets, are not counted.
 */
export function summarizeRights({ resources }: Pick<StageTemplate, 'resources'>): readonly string[] {
  const propertiesOf = (types: RegExp) =>
    Object.values(resources).flatMap(({ Type, Properties }) => (types.test(Type) ? [Properties] : []))
  const roles = propertiesOf(/^AWS::IAM::Role$/).map((properties) => v.parse(roleSchema, properties))
  const policies = propertiesOf(/^AWS::IAM::(Managed)?Policy$/).map((properties) => v.parse(policySchema, properties))
  const statements = [...roles.flatMap((role) => role.Policies), ...policies]
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .filter(({ Effect }) => Effect === 'Allow')
  const actionsOf = (chosen: readonly Statement[]) =>
    [
      ...new Set(chosen.flatMap(({ Action, NotAction }) => (NotAction === undefined ? Action.map(String) : ['*']))),
    ].sort()
  const wide = actionsOf(statements).filter((action) => action.includes('*'))
  const everywhere = statements.filter(
    ({ Resource, NotResource }) => NotResource !== undefined || Resource.includes('*'),
  )
  const managed = roles.flatMap(({ ManagedPolicyArns }) => ManagedPolicyArns.map(nameOfPolicy))
  return [
    `This first deploy creates ${countOf(roles.length, 'role')} in IAM:`,
    `  actions with *: ${listOrNone(wide)}`,
    `  actions on the resource *: ${listOrNone(actionsOf(everywhere))}`,
    `  managed policies: ${listOrNone([...new Set(managed)].sort())}`,
  ]
}

const listOrNone = (names: readonly string[]) => names.join(', ') || 'none'

/** The name of a managed policy, whose ARN the CDK joins from parts. */
const nameOfPolicy = (arn: unknown) => /([^/"]+)"?[\]}"]*$/.exec(JSON.stringify(arn))?.[1] ?? JSON.stringify(arn)
