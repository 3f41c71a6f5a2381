/**
 * Two schemas of our own as a model is shown them, and short ways through the planner for tests: from a question to the
 * SQL on one line, with or without what probes found.
 */
import type { Intent } from "../../../src/models/offline/intent.ts";
import type { Item } from "../../../src/models/offline/items.ts";
import { createItems } from "../../../src/models/offline/items.ts";
import { makePlan, type Plan } from "../../../src/models/offline/planner.ts";
import { parseTokens } from "../../../src/models/offline/question-tokens.ts";
import type { Context } from "../../../src/models/offline/resolve.ts";
import { createSchemaGraph, type SchemaGraph } from "../../../src/models/offline/schema-graph.ts";
import { parseSchemaText } from "../../../src/models/offline/schema-text.ts";
import { createValueSource, type ValueMatch } from "../../../src/models/offline/values.ts";
import { stemOf } from "../../../src/models/offline/words.ts";

export const CLINIC = `table Department (4 rows)
  DepartmentId INTEGER primary key
  Name TEXT not null values: 'Cardiology', 'Dermatology', 'Pediatrics', 'Radiology'
  Floor INTEGER not null
table Doctor (5 rows)
  DoctorId INTEGER primary key
  FirstName TEXT not null
  LastName TEXT not null
  Specialty TEXT not null values: 'cardiologist', 'pediatrician', 'radiologist'
  Salary REAL not null
  HireDate DATE not null
  DepartmentId INTEGER not null -> Department.DepartmentId
  SupervisorId INTEGER -> Doctor.DoctorId
table Patient (6 rows)
  PatientId INTEGER primary key
  FirstName TEXT not null
  LastName TEXT not null
  BirthDate DATE not null
  Gender TEXT not null values: 'F', 'M'
  City TEXT not null values: 'Antwerp', 'Bruges', 'Ghent', 'Leuven'
  Phone TEXT
table Appointment (8 rows)
  AppointmentId INTEGER primary key
  PatientId INTEGER not null -> Patient.PatientId
  DoctorId INTEGER not null -> Doctor.DoctorId
  ScheduledAt DATETIME not null
  Status TEXT not null values: 'cancelled', 'done'
  Fee REAL not null
table Medication (4 rows)
  MedicationId INTEGER primary key
  Name TEXT not null
  Price REAL not null
table Prescription (6 rows)
  AppointmentId INTEGER primary key 1 not null -> Appointment.AppointmentId
  MedicationId INTEGER primary key 2 not null -> Medication.MedicationId
  Days INTEGER not null`;

export const SHOP = `table users (6 rows)
  id INTEGER primary key
  email TEXT not null
  full_name TEXT not null
  city TEXT
  country TEXT
  created_at TEXT not null
  is_active INTEGER not null
table categories (5 rows)
  id INTEGER primary key
  name TEXT not null values: 'Coffee', 'Filters', 'Kettles', 'Mugs', 'Tea'
table products (8 rows)
  id INTEGER primary key
  category_id INTEGER not null
  name TEXT not null
  price REAL not null
  stock INTEGER not null
  length_ms INTEGER
table orders (7 rows)
  id INTEGER primary key
  user_id INTEGER not null
  ordered_at TEXT not null
  status TEXT not null values: 'delivered', 'pending'
table order_items (11 rows)
  id INTEGER primary key
  order_id INTEGER not null
  product_id INTEGER not null
  quantity INTEGER not null
  unit_price REAL not null`;

export function graphOf(schema: string): SchemaGraph {
  return createSchemaGraph(parseSchemaText(schema));
}

export function contextOf(schema: string, ...words: readonly string[]): Context {
  return { graph: graphOf(schema), hints: new Set(words.map(stemOf)), mentioned: [] };
}

export function itemsOf(schema: string, question: string): Item[] {
  const graph = graphOf(schema);
  return [...createItems(parseTokens(question), graph, createValueSource(graph, new Map()))];
}

export type Found = Readonly<Record<string, readonly ValueMatch[]>>;

export function planFor(schema: string, question: string, found: Found = {}, plain = false): Plan {
  const probed = new Map(Object.entries(found).map(([text, matches]) => [text.toLowerCase(), matches]));
  return makePlan({ question, graph: graphOf(schema), probed, plain });
}

export function intentFor(schema: string, question: string, found: Found = {}): Intent {
  const plan = planFor(schema, question, found);
  if (plan.kind !== "query") throw new Error(`${question} was read as ${plan.kind}`);
  return plan.intent;
}

/** The SQL on one line, or what the plan is instead. */
export function sqlFor(schema: string, question: string, found: Found = {}): string {
  const plan = planFor(schema, question, found);
  return plan.kind === "query" ? plan.sql.replace(/\s+/g, " ") : plan.kind;
}

/** Sorts of the items, for tests of reading: `key:count`, `ref`, `value`. */
export function kindsOf(items: readonly Item[]): readonly string[] {
  return items.map((item) => (item.kind === "key" ? `key:${item.key.key}` : item.kind));
}
