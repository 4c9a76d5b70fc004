import { at, type Json, listOf, named, ofType, type Resource, render } from './templates.ts'

/** A statement of a role's policies. */
export interface Statement {
  readonly effect: string
  readonly actions: readonly string[]
  readonly resources: readonly string[]
  readonly conditional: boolean
  /** As in the template; undefined if there is none. */
  readonly condition?: Json
}

/** The logical id of a function's role. */
export function roleOf(template: readonly Resource[], functionName: string): string {
  const role = named(template, 'AWS::Lambda::Function', functionName).properties['Role']
  return render(role).replace(/^<(.*)\.Arn>$/, '$1')
}

/** All statements of a role's policies. */
export function statementsOf(template: readonly Resource[], roleId: string): readonly Statement[] {
  const role = template.find(({ id }) => id === roleId)
  const inline = listOf(role?.properties['Policies']).map((policy) => at(policy, 'PolicyDocument'))
  const attached = ofType(template, 'AWS::IAM::Policy')
    .filter(({ properties }) => listOf(properties['Roles']).some((name) => render(name) === `<${roleId}>`))
    .map(({ properties }) => properties['PolicyDocument'])
  return [...inline, ...attached].flatMap((document) => listOf(at(document, 'Statement')).map(readStatement))
}

/** The principals in a role's trust policy, as in the template. */
export function principalsOf(template: readonly Resource[], roleId: string): readonly Json[] {
  const role = template.find(({ id }) => id === roleId)
  const trust = listOf(at(role?.properties['AssumeRolePolicyDocument'], 'Statement'))
  return trust.map((statement) => at(statement, 'Principal') ?? null)
}

function readStatement(statement: Json): Statement {
  const condition = at(statement, 'Condition')
  return {
    effect: render(at(statement, 'Effect')),
    actions: listOf(at(statement, 'Action')).map(render),
    resources: listOf(at(statement, 'Resource')).map(render),
    conditional: condition !== undefined,
    ...(condition !== undefined && { condition }),
  }
}

/** A role's actions on resources that match a pattern. */
export function actionsOn(statements: readonly Statement[], resource: RegExp): readonly string[] {
  const touching = statements.filter(({ resources }) => resources.some((each) => resource.test(each)))
  return [...new Set(touching.flatMap(({ actions }) => actions))].sort()
}
