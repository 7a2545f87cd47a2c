final class GhosttapeTests {
    public static void main(String[] words) throws Throwable {
        for (String text : GhosttapeCases.ALL) {
            java.util.List<?> both = (java.util.List<?>) new Reader(text).value();
            Object found = plain(call((java.util.List<?>) both.get(0)));
            if (!same(found, both.get(1))) {
                String said = text + ": " + found;
                throw new AssertionError(said.substring(0, Math.min(300, said.length())));
            }
        }
    }

    static Object call(java.util.List<?> given) throws Throwable {
        for (java.lang.reflect.Method method : Solution.class.getDeclaredMethods()) {
            if (method.getName().equals(GhosttapeCases.NAME) && method.getParameterCount() == given.size()) {
                method.setAccessible(true);
                java.lang.reflect.Type[] types = method.getGenericParameterTypes();
                Object[] values = new Object[types.length];
                for (int at = 0; at < types.length; at++) {
                    values[at] = as(given.get(at), types[at]);
                }
                Object owner = null;
                if (!java.lang.reflect.Modifier.isStatic(method.getModifiers())) {
                    java.lang.reflect.Constructor<?> made = Solution.class.getDeclaredConstructor();
                    made.setAccessible(true);
                    owner = made.newInstance();
                }
                try {
                    return method.invoke(owner, values);
                } catch (java.lang.reflect.InvocationTargetException error) {
                    throw error.getCause();
                }
            }
        }
        throw new NoSuchMethodException("Solution." + GhosttapeCases.NAME + " with " + given.size() + " parameters");
    }

    /** A value of JSON as a parameter wants it. */
    static Object as(Object value, java.lang.reflect.Type type) {
        java.lang.reflect.Type[] inner = new java.lang.reflect.Type[0];
        if (type instanceof java.lang.reflect.ParameterizedType) {
            inner = ((java.lang.reflect.ParameterizedType) type).getActualTypeArguments();
            type = ((java.lang.reflect.ParameterizedType) type).getRawType();
        }
        if (type instanceof java.lang.reflect.GenericArrayType) {
            java.lang.reflect.Type of = ((java.lang.reflect.GenericArrayType) type).getGenericComponentType();
            java.lang.reflect.Type raw = of instanceof java.lang.reflect.ParameterizedType ? ((java.lang.reflect.ParameterizedType) of).getRawType() : Object.class;
            return array((java.util.List<?>) value, (Class<?>) raw, of);
        }
        Class<?> wanted = type instanceof Class ? (Class<?>) type : Object.class;
        if (wanted == java.util.Optional.class) {
            return java.util.Optional.ofNullable(value == null ? null : as(value, inner[0]));
        }
        if (value instanceof java.util.List && wanted.isArray()) {
            return array((java.util.List<?>) value, wanted.getComponentType(), wanted.getComponentType());
        }
        if (value instanceof java.util.List) {
            java.util.Collection<Object> made = wanted.isAssignableFrom(java.util.ArrayList.class) ? new java.util.ArrayList<>() : java.util.Set.class.isAssignableFrom(wanted) ? new java.util.LinkedHashSet<>() : new java.util.LinkedList<>();
            for (Object one : (java.util.List<?>) value) {
                made.add(as(one, inner.length > 0 ? inner[0] : Object.class));
            }
            return made;
        }
        if (value instanceof java.util.Map) {
            java.util.Map<Object, Object> made = wanted == java.util.TreeMap.class ? new java.util.TreeMap<>() : new java.util.LinkedHashMap<>();
            for (java.util.Map.Entry<?, ?> one : ((java.util.Map<?, ?>) value).entrySet()) {
                made.put(one.getKey(), as(one.getValue(), inner.length > 1 ? inner[1] : Object.class));
            }
            return made;
        }
        if (value instanceof String && (wanted == char.class || wanted == Character.class) && ((String) value).length() == 1) {
            return ((String) value).charAt(0);
        }
        return value instanceof Number ? number((Number) value, wanted) : value;
    }

    static Object array(java.util.List<?> values, Class<?> of, java.lang.reflect.Type type) {
        Object made = java.lang.reflect.Array.newInstance(of, values.size());
        for (int at = 0; at < values.size(); at++) {
            java.lang.reflect.Array.set(made, at, as(values.get(at), type));
        }
        return made;
    }

    static Object number(Number value, Class<?> wanted) {
        boolean whole = value instanceof Long;
        if (wanted == double.class || wanted == Double.class) {
            return value.doubleValue();
        }
        if (wanted == float.class || wanted == Float.class) {
            return value.floatValue();
        }
        if (whole && (wanted == long.class || wanted == Long.class)) {
            return value.longValue();
        }
        if (whole && wanted == java.math.BigInteger.class) {
            return java.math.BigInteger.valueOf(value.longValue());
        }
        if (whole && (wanted == int.class || wanted == Integer.class)) {
            return Math.toIntExact(value.longValue());
        }
        return whole && value.intValue() == value.longValue() ? (Object) value.intValue() : value;
    }

    /** A result as a value of JSON: whole numbers are Long or BigInteger, other ones Double. */
    static Object plain(Object found) {
        if (found instanceof java.util.Optional) {
            return plain(((java.util.Optional<?>) found).orElse(null));
        }
        if (found != null && found.getClass().isArray()) {
            java.util.List<Object> made = new java.util.ArrayList<>();
            for (int at = 0; at < java.lang.reflect.Array.getLength(found); at++) {
                made.add(plain(java.lang.reflect.Array.get(found, at)));
            }
            return made;
        }
        if (found instanceof java.util.Collection) {
            java.util.List<Object> made = new java.util.ArrayList<>();
            for (Object one : (java.util.Collection<?>) found) {
                made.add(plain(one));
            }
            return made;
        }
        if (found instanceof java.util.Map) {
            java.util.Map<Object, Object> made = new java.util.LinkedHashMap<>();
            for (java.util.Map.Entry<?, ?> one : ((java.util.Map<?, ?>) found).entrySet()) {
                made.put(String.valueOf(one.getKey()), plain(one.getValue()));
            }
            return made;
        }
        if (found instanceof Float || found instanceof Double || found instanceof java.math.BigDecimal) {
            return ((Number) found).doubleValue();
        }
        if (found instanceof Integer || found instanceof Short || found instanceof Byte) {
            return ((Number) found).longValue();
        }
        return found instanceof Character || found instanceof StringBuilder ? found.toString() : found;
    }

    static boolean same(Object found, Object wanted) {
        if (found instanceof java.util.List && wanted instanceof java.util.List) {
            java.util.List<?> one = (java.util.List<?>) found, other = (java.util.List<?>) wanted;
            boolean alike = one.size() == other.size();
            for (int at = 0; alike && at < one.size(); at++) {
                alike = same(one.get(at), other.get(at));
            }
            return alike;
        }
        if (found instanceof java.util.Map && wanted instanceof java.util.Map) {
            java.util.Map<?, ?> one = (java.util.Map<?, ?>) found, other = (java.util.Map<?, ?>) wanted;
            boolean alike = one.keySet().equals(other.keySet());
            for (Object key : one.keySet()) {
                alike = alike && same(one.get(key), other.get(key));
            }
            return alike;
        }
        if (found instanceof Number && wanted instanceof Number) {
            double one = ((Number) found).doubleValue(), other = ((Number) wanted).doubleValue();
            boolean whole = !(found instanceof Double) && !(wanted instanceof Double);
            return whole ? found.toString().equals(wanted.toString()) : Math.abs(one - other) <= 1e-6 * Math.max(1.0, Math.abs(other));
        }
        return java.util.Objects.equals(found, wanted);
    }

    /** Reads JSON. */
    static final class Reader {
        private final String text;
        private int at = 0;

        Reader(String text) {
            this.text = text;
        }

        Object value() {
            char next = skip();
            if (next == '[') {
                java.util.List<Object> made = new java.util.ArrayList<>();
                for (at++; skip() != ']'; at += skip() == ',' ? 1 : 0) {
                    made.add(value());
                }
                at++;
                return made;
            }
            if (next == '{') {
                java.util.Map<Object, Object> made = new java.util.LinkedHashMap<>();
                for (at++; skip() != '}'; at += skip() == ',' ? 1 : 0) {
                    Object key = value();
                    skip();
                    at++;
                    made.put(key, value());
                }
                at++;
                return made;
            }
            return next == '"' ? string() : word();
        }

        private char skip() {
            while (text.charAt(at) == ' ') {
                at++;
            }
            return text.charAt(at);
        }

        private String string() {
            StringBuilder made = new StringBuilder();
            for (at++; text.charAt(at) != '"'; at++) {
                char one = text.charAt(at);
                if (one == '\\') {
                    char kind = text.charAt(++at);
                    int place = "bfnrt".indexOf(kind);
                    if (kind == 'u') {
                        one = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
                        at += 4;
                    } else {
                        one = place < 0 ? kind : "\b\f\n\r\t".charAt(place);
                    }
                }
                made.append(one);
            }
            at++;
            return made.toString();
        }

        private Object word() {
            int start = at;
            while (at < text.length() && ",]} :".indexOf(text.charAt(at)) < 0) {
                at++;
            }
            String word = text.substring(start, at);
            if (word.equals("null")) {
                return null;
            }
            if (word.equals("true") || word.equals("false")) {
                return word.equals("true");
            }
            return word.matches("-?[0-9]+") ? (Object) Long.valueOf(word) : (Object) Double.valueOf(word);
        }
    }
}
