/** The parts of an OpenAPI 3.1 document that this project uses. Source: OpenAPI Specification 3.1.1, "Schema". */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

export interface OpenApiDocument {
  readonly openapi: '3.1.1'
  readonly info: {
    readonly title: string
    readonly version: string
    readonly summary: string
    readonly description: string
  }
  readonly servers: readonly { readonly url: string; readonly description?: string }[]
  readonly security: readonly SecurityRequirement[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
  readonly webhooks: Readonly<Record<string, WebhookObject>>
  readonly components: {
    readonly schemas: Readonly<Record<string, SchemaObject>>
    readonly responses: Readonly<Record<string, ResponseObject>>
    readonly headers: Readonly<Record<string, HeaderObject>>
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>
  }
}

export type SecurityRequirement = Readonly<Record<string, readonly string[]>>

export interface OperationObject {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly security?: readonly SecurityRequirement[]
  readonly parameters?: readonly ParameterObject[]
  readonly requestBody?: { readonly required: true; readonly content: Content }
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>
}

/** A call that the service makes. */
export interface WebhookObject {
  readonly post: Omit<OperationObject, 'tags' | 'responses'> & {
    readonly responses: Readonly<Record<string, { readonly description: string }>>
  }
}

export interface ParameterObject {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description: string
  readonly schema: SchemaObject
}

export interface ResponseObject {
  readonly description: string
  readonly headers: Readonly<Record<string, HeaderObject | Reference>>
  readonly content?: Content
}

export interface HeaderObject {
  readonly description: string
  readonly required?: boolean
  readonly schema: SchemaObject
}

export interface Content {
  readonly 'application/json': {
    readonly schema: SchemaObject
    readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: Json }>>
  }
  readonly 'text/csv'?: { readonly schema: SchemaObject; readonly example: string }
}

export interface Reference {
  readonly $ref: string
}

/** A JSON Schema, 2020-12. */
export interface SchemaObject {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly default?: unknown
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly format?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: SchemaObject
  readonly properties?: Readonly<Record<string, SchemaObject>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | SchemaObject
  readonly anyOf?: readonly SchemaObject[]
  readonly oneOf?: readonly SchemaObject[]
}
