"""Where names are defined and used in each language, as data: one row a language."""

from __future__ import annotations

from collections.abc import Mapping

from corpora.labels.name_rules import Grammar, NameRule


def _rules(rules: Mapping[str, NameRule | tuple[NameRule, ...]]) -> Mapping[str, tuple[NameRule, ...]]:
    return {name: rule if isinstance(rule, tuple) else (rule,) for name, rule in rules.items()}


_FUNCTION = NameRule("function", outside=True)
_CLASS = NameRule("class", outside=True)
_TYPE = NameRule("type", outside=True)

PYTHON = Grammar(
    names=frozenset({"identifier"}),
    rules=_rules(
        {
            "function_definition": _FUNCTION,
            "class_definition": _CLASS,
            "assignment": NameRule("variable", "left", typed="right"),
            "augmented_assignment": NameRule("variable", "left", typed="right", reads=True),
            "named_expression": NameRule("variable", typed="value"),
            "for_statement": NameRule("variable", "left", typed="", from_="right"),
            "for_in_clause": NameRule("variable", "left", typed="", from_="left"),
            "as_pattern": NameRule("variable", "alias", typed=""),
            "except_clause": NameRule("variable", "alias", typed="", from_="alias"),
            "parameters": NameRule("variable", "", from_="="),
            "lambda_parameters": NameRule("variable", "", from_="="),
        }
    ),
    patterns=frozenset(
        {
            "parameters",
            "lambda_parameters",
            "default_parameter",
            "typed_parameter",
            "typed_default_parameter",
            "list_splat_pattern",
            "dictionary_splat_pattern",
            "tuple_pattern",
            "list_pattern",
            "pattern_list",
            "as_pattern_target",
        }
    ),
    scopes={
        "function_definition": "function",
        "lambda": "function",
        "class_definition": "class",
        "list_comprehension": "comprehension",
        "set_comprehension": "comprehension",
        "dictionary_comprehension": "comprehension",
        "generator_expression": "comprehension",
    },
    calls={"call": "function", "decorator": ""},
    members={"attribute": ("object", "attribute")},
    silent=frozenset({("attribute", "attribute"), ("keyword_argument", "name"), ("keyword_pattern", "")}),
    selves=frozenset({"self", "cls"}),
    defaults=frozenset({"default_parameter", "typed_default_parameter"}),
    supers=frozenset({"argument_list"}),
    hoists=True,
    types=frozenset(),
    external=frozenset(
        {
            "string",
            "concatenated_string",
            "integer",
            "float",
            "list",
            "dictionary",
            "tuple",
            "set",
            "list_comprehension",
            "set_comprehension",
            "dictionary_comprehension",
            "generator_expression",
        }
    ),
    created={"call": "function"},
    inner={"parenthesized_expression": "", "await": ""},
)

JAVA = Grammar(
    names=frozenset({"identifier", "type_identifier"}),
    rules=_rules(
        {
            "class_declaration": _CLASS,
            "enum_declaration": _CLASS,
            "record_declaration": _CLASS,
            "interface_declaration": _TYPE,
            "annotation_type_declaration": _TYPE,
            "method_declaration": _FUNCTION,
            "variable_declarator": NameRule("variable", typed="value"),
            "formal_parameter": NameRule("variable"),
            "catch_formal_parameter": NameRule("variable"),
            "inferred_parameters": NameRule("variable", ""),
            "lambda_expression": NameRule("variable", "parameters", from_="parameters"),
            "resource": NameRule("variable"),
            "enhanced_for_statement": NameRule("variable", from_="value"),
            "instanceof_expression": NameRule("variable", typed="right"),
            "type_pattern": NameRule("variable", "", from_="="),
            "enum_constant": NameRule("field"),
            "type_parameter": NameRule("type parameter", "", from_="="),
        }
    ),
    patterns=frozenset({"inferred_parameters", "type_parameter", "type_pattern"}),
    scopes={
        "class_declaration": "block",
        "interface_declaration": "block",
        "enum_declaration": "block",
        "record_declaration": "block",
        "class_body": "class",
        "interface_body": "class",
        "enum_body": "class",
        "annotation_type_body": "class",
        "method_declaration": "function",
        "constructor_declaration": "function",
        "compact_constructor_declaration": "function",
        "static_initializer": "function",
        "lambda_expression": "function",
        "block": "block",
        "constructor_body": "block",
        "for_statement": "block",
        "enhanced_for_statement": "block",
        "try_with_resources_statement": "block",
        "catch_clause": "block",
        "switch_block": "block",
    },
    calls={"method_invocation": "name"},
    members={"method_invocation": ("object", "name"), "field_access": ("object", "field")},
    silent=frozenset(
        {
            ("field_access", "field"),
            ("element_value_pair", "key"),
            ("labeled_statement", ""),
            ("break_statement", ""),
            ("continue_statement", ""),
            ("constructor_declaration", "name"),
        }
    ),
    selves=frozenset({"this"}),
    supers=frozenset({"superclass", "super_interfaces", "extends_interfaces"}),
    separate_functions=True,
    external=frozenset({"string_literal", "class_literal", "array_creation_expression", "binary_expression"}),
    created={"object_creation_expression": "type"},
    inner={"parenthesized_expression": "", "cast_expression": "type", "array_access": "array"},
)

_SCRIPT_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
SCRIPT = Grammar(
    names=frozenset({"identifier", "type_identifier", "shorthand_property_identifier"}),
    rules=_rules(
        {
            "function_declaration": _FUNCTION,
            "generator_function_declaration": _FUNCTION,
            "function_signature": _FUNCTION,
            "method_signature": _FUNCTION,
            "abstract_method_signature": _FUNCTION,
            "function_expression": NameRule("function"),
            "method_definition": _FUNCTION,
            "class_declaration": _CLASS,
            "abstract_class_declaration": _CLASS,
            "interface_declaration": _TYPE,
            "enum_declaration": _TYPE,
            "type_alias_declaration": _TYPE,
            "variable_declarator": NameRule("variable", typed="value"),
            "formal_parameters": NameRule("variable", "", from_="="),
            "arrow_function": NameRule("variable", "parameter", from_="parameter"),
            "catch_clause": NameRule("variable", "parameter", typed="", from_="parameter"),
            "for_in_statement": NameRule("variable", "left", typed="", from_="right"),
            "public_field_definition": NameRule("field", typed="value"),
            "field_definition": NameRule("field", "property", typed="value"),
            "type_parameter": NameRule("type parameter", from_="="),
        }
    ),
    patterns=frozenset(
        {
            "formal_parameters",
            "required_parameter",
            "optional_parameter",
            "assignment_pattern",
            "rest_pattern",
            "object_pattern",
            "array_pattern",
            "pair_pattern",
            "object_assignment_pattern",
        }
    ),
    values=frozenset({"type", "value", "right", "key", "decorator"}),
    scopes={
        "class_declaration": "block",
        "interface_declaration": "block",
        "class_body": "class",
        "interface_body": "class",
        "function_signature": "function",
        "method_signature": "function",
        "abstract_method_signature": "function",
        "call_signature": "function",
        "construct_signature": "function",
        "function_type": "function",
        "function_declaration": "function",
        "generator_function_declaration": "function",
        "function_expression": "function",
        "generator_function": "function",
        "arrow_function": "function",
        "method_definition": "function",
        "statement_block": "block",
        "for_statement": "block",
        "for_in_statement": "block",
        "catch_clause": "block",
        "switch_body": "block",
    },
    calls={"call_expression": "function", "decorator": ""},
    members={"member_expression": ("object", "property")},
    silent=frozenset({("labeled_statement", "label")}),
    selves=frozenset({"this"}),
    supers=frozenset({"class_heritage", "extends_type_clause"}),
    function_values=_SCRIPT_FUNCTIONS,
    external=frozenset({"string", "template_string", "number", "array", "object", "regex"}),
    created={"new_expression": "constructor"},
    inner={"parenthesized_expression": "", "await_expression": "", "non_null_expression": "", "as_expression": ""},
)

_PARAMETER = NameRule("variable", "declarator")
_DECLARED = NameRule("variable", "declarator", outside=True)
CPP = Grammar(
    names=frozenset({"identifier", "type_identifier", "namespace_identifier"}),
    rules=_rules(
        {
            "namespace_definition": NameRule("namespace", outside=True, from_="="),
            "function_definition": NameRule("function", "declarator", outside=True, from_="="),
            "declaration": _DECLARED,
            "parameter_declaration": _PARAMETER,
            "optional_parameter_declaration": _PARAMETER,
            "field_declaration": _DECLARED,
            "for_range_loop": NameRule("variable", "declarator", from_="right"),
            "class_specifier": _CLASS,
            "struct_specifier": _CLASS,
            "union_specifier": _CLASS,
            "enum_specifier": _TYPE,
            "enumerator": NameRule("field"),
            "alias_declaration": _TYPE,
            "type_definition": NameRule("type", "declarator"),
            "type_parameter_declaration": NameRule("type parameter", "", from_="="),
        }
    ),
    patterns=frozenset(
        {
            "init_declarator",
            "pointer_declarator",
            "reference_declarator",
            "array_declarator",
            "parenthesized_declarator",
            "structured_binding_declarator",
            "function_declarator",
            "type_parameter_declaration",
            "qualified_identifier",
        }
    ),
    values=frozenset({"type", "value", "size", "parameters", "default_value", "right", "scope"}),
    scopes={
        "field_declaration_list": "class",
        "declaration": "block",
        "field_declaration": "block",
        "namespace_definition": "file",
        "function_definition": "function",
        "lambda_expression": "function",
        "template_declaration": "block",
        "compound_statement": "block",
        "for_statement": "block",
        "for_range_loop": "block",
        "catch_clause": "block",
    },
    calls={"call_expression": "function"},
    members={"field_expression": ("argument", "field")},
    silent=frozenset({("labeled_statement", "label"), ("goto_statement", "label")}),
    selves=frozenset({"this"}),
    supers=frozenset({"base_class_clause"}),
    types=frozenset({"type_identifier", "namespace_identifier"}),
    namespaces=frozenset({"namespace_identifier"}),
    function_values=frozenset({"function_declarator"}),
    external=frozenset({"string_literal", "number_literal", "char_literal"}),
    created={"new_expression": "type"},
    inner={"parenthesized_expression": "", "pointer_expression": "argument", "subscript_expression": "argument"},
    elements=frozenset({"pointer_expression", "subscript_expression"}),
)

_PARAMETERS = NameRule("variable", "parameters", from_="parameters")
CSHARP = Grammar(
    names=frozenset({"identifier"}),
    rules=_rules(
        {
            "class_declaration": _CLASS,
            "record_declaration": _CLASS,
            "struct_declaration": _CLASS,
            "interface_declaration": _TYPE,
            "enum_declaration": _TYPE,
            "delegate_declaration": _TYPE,
            "method_declaration": _FUNCTION,
            "local_function_statement": _FUNCTION,
            "variable_declarator": NameRule("variable"),
            "property_declaration": NameRule("field", outside=True),
            "enum_member_declaration": NameRule("field"),
            "parameter": NameRule("variable", from_="="),
            "lambda_expression": _PARAMETERS,
            "foreach_statement": NameRule("variable", "left", from_="right"),
            "declaration_pattern": NameRule("variable"),
            "declaration_expression": NameRule("variable"),
            "catch_declaration": NameRule("variable"),
            "tuple_pattern": NameRule("variable"),
            "type_parameter": NameRule("type parameter", from_="="),
        }
    ),
    scopes={
        "class_declaration": "block",
        "record_declaration": "block",
        "struct_declaration": "block",
        "interface_declaration": "block",
        "delegate_declaration": "block",
        "declaration_list": "class",
        "enum_member_declaration_list": "class",
        "method_declaration": "function",
        "constructor_declaration": "function",
        "destructor_declaration": "function",
        "operator_declaration": "function",
        "property_declaration": "block",
        "accessor_declaration": "function",
        "local_function_statement": "function",
        "lambda_expression": "function",
        "anonymous_method_expression": "function",
        "block": "block",
        "for_statement": "block",
        "foreach_statement": "block",
        "using_statement": "block",
        "catch_clause": "block",
        "switch_body": "block",
    },
    calls={"invocation_expression": "function"},
    members={"member_access_expression": ("expression", "name")},
    silent=frozenset(
        {
            ("member_access_expression", "name"),
            ("constructor_declaration", "name"),
            ("namespace_declaration", "name"),
            ("argument", "name"),
        }
    ),
    selves=frozenset({"this"}),
    parents=frozenset({"base"}),
    supers=frozenset({"base_list"}),
    types=frozenset({"generic_name"}),
    external=frozenset({"string_literal", "interpolated_string_expression", "array_creation_expression"}),
    created={"object_creation_expression": "type"},
    inner={"parenthesized_expression": "", "cast_expression": "type", "element_access_expression": "expression"},
    elements=frozenset({"element_access_expression"}),
)

GRAMMARS: Mapping[str, Grammar] = {
    "python": PYTHON,
    "java": JAVA,
    "javascript": SCRIPT,
    "javascriptreact": SCRIPT,
    "typescript": SCRIPT,
    "typescriptreact": SCRIPT,
    "cpp": CPP,
    "csharp": CSHARP,
}
